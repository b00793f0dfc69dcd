import { z } from 'zod';
import type { DeletionReceipt } from '../../src/store/corpus.ts';
import { documentId } from '../../src/toolbox/fields.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { describeDocument } from '../corpus/describe-record.ts';
import { requireIngestion } from './ingest-item.ts';

export const deleteDocument = defineTool({
  name: 'delete_document',
  title: 'Delete a document',
  description:
    'Delete one document with its file, text, chunks, vectors and index entries, for good. Without confirm it deletes nothing and says what would go; with confirm=true it deletes and returns a receipt that counts what was removed.',
  input: z.object({
    document_id: documentId,
    confirm: z.boolean().default(false).describe('true deletes; left out, the call only says what would go'),
  }),
  output: z.object({
    document_id: z.string(),
    title: z.string(),
    deleted: z.boolean(),
    chunks: z.number().int(),
    receipt: z
      .object({
        documents: z.number().int(),
        chunks: z.number().int(),
        vectors: z.number().int(),
        full_text_entries: z.number().int(),
        files: z.number().int(),
        graph_rows: z.number().int(),
        versions: z.number().int().optional(),
        index: z.object({ removed: z.number().int(), state: z.string() }).optional(),
        verified: z.string().optional(),
      })
      .optional(),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  needs: ['ingestion'],
  deadline: 30_000,

  async execute(input, context) {
    const ingestion = requireIngestion(context);
    const document = await findDocument(input.document_id, context);
    const { id, title, chunkCount } = document;
    const common = { document_id: id, title, chunks: chunkCount };
    if (!input.confirm) {
      return {
        text: `Nothing was deleted. This would go, for good: ${describeDocument(document)}\nTo delete it: call delete_document with document_id="${id}", confirm=true.`,
        structured: { ...common, deleted: false },
      };
    }
    const receipt = await ingestion.remove(document);
    return {
      text: `Deleted: ${describeDocument(document)}\nRemoved: ${receipt.documents} document, ${receipt.chunks} chunks, ${receipt.vectors} vectors, ${receipt.fullTextEntries} full-text entries, ${receipt.files} ${receipt.files === 1 ? 'file' : 'files'}, ${receipt.versions ?? 0} earlier versions, ${receipt.graphRows} entities and relationships.${proof(receipt)}`,
      structured: {
        ...common,
        deleted: true,
        receipt: {
          documents: receipt.documents,
          chunks: receipt.chunks,
          vectors: receipt.vectors,
          full_text_entries: receipt.fullTextEntries,
          files: receipt.files,
          graph_rows: receipt.graphRows,
          ...(receipt.versions === undefined ? {} : { versions: receipt.versions }),
          ...(receipt.index === undefined ? {} : { index: receipt.index }),
          ...(receipt.verified === undefined ? {} : { verified: String(receipt.verified) }),
        },
      },
    };
  },
});

function proof({ verified }: DeletionReceipt): string {
  if (verified === undefined) return '';
  if (verified === 'pending') return ' The vector index is still to forget it, which happens by itself.';
  return verified
    ? ' Searches made afterwards find nothing of it.'
    : ' A search made afterwards still finds some of it.';
}
