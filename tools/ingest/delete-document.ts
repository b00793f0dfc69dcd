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
    'Permanently delete one document with its file, text, chunks, vectors and index entries. Without confirm it deletes nothing and shows what would be deleted; with confirm=true it deletes and returns a receipt with the number of records removed.',
  input: z.object({
    document_id: documentId,
    confirm: z.boolean().default(false).describe('true deletes; otherwise the call only shows what would be deleted'),
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
        text: `Nothing was deleted. This would be deleted permanently: ${describeDocument(document, context.settings.audience)}\nTo delete it: call delete_document with document_id="${id}", confirm=true.`,
        structured: { ...common, deleted: false },
      };
    }
    const receipt = await ingestion.remove(document);
    return {
      text: `Deleted: ${describeDocument(document, context.settings.audience)}\nRemoved: ${receipt.documents} document, ${receipt.chunks} chunks, ${receipt.vectors} vectors, ${receipt.fullTextEntries} full-text entries, ${receipt.files} ${receipt.files === 1 ? 'file' : 'files'}, ${receipt.versions ?? 0} earlier versions, ${receipt.graphRows} entities and relationships.${proof(receipt)}`,
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
  if (verified === 'pending') return ' Its removal from the vector index is pending and completes automatically.';
  return verified
    ? ' A search after the deletion no longer finds it.'
    : ' A search after the deletion still finds parts of it.';
}
