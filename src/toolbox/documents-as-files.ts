import type { Source } from '../citations/citation.ts';
import type { Json } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { findChunk } from './find-chunk.ts';
import { findDocument, type VisibleLibrary } from './find-document.ts';
import { oneLine } from './render-blocks.ts';
import type { ToolContext } from './tool-context.ts';

/** Documents and chunks as input data for code; the data does not pass through a model. */
export interface MountedDocuments {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Python variables that list the data: `documents` and `passages`. */
  readonly variables: Readonly<Record<string, Json>>;
  readonly sources: readonly Source[];
  /** One line per item for the model that requested them. */
  readonly lines: readonly string[];
}

type MountContext = VisibleLibrary & Pick<ToolContext, 'cite'>;

/**
 * Provides the extracted text of visible documents as files `documents/<id>.txt` and chunks as the variable `passages`.
 * Throws `not_found` for items that are not visible or have no text.
 */
export async function documentsAsFiles(
  documentIds: readonly string[],
  chunkIds: readonly string[],
  context: MountContext,
): Promise<MountedDocuments> {
  const documents = await Promise.all(documentIds.map((id) => mountDocument(id, context)));
  const chunks = await mountChunks(chunkIds, context);
  return {
    files: documents.map(({ file }) => file),
    variables: {
      ...(documents.length > 0 && { documents: documents.map(({ entry }) => entry) }),
      ...(chunks.length > 0 && { passages: chunks.map(({ entry }) => entry) }),
    },
    sources: [...documents, ...chunks].map(({ source }) => source),
    lines: [...documents, ...chunks].map(({ line }) => line),
  };
}

async function mountDocument(given: string, context: MountContext) {
  const document = await findDocument(given, context);
  const extracted = await context.library.textOf(document.id);
  const title = oneLine(document.title);
  if (extracted === undefined || extracted.text === '') {
    throw new ServiceError('not_found', `"${title}" has no text: its ingestion is ${document.ingestionStatus}.`);
  }
  const source: Source = { kind: 'document', document };
  const marker = `[${context.cite(source)}]`;
  const name = `documents/${document.id}.txt`;
  return {
    source,
    file: { name, bytes: Buffer.from(extracted.text) },
    entry: {
      id: document.id,
      title: document.title,
      path: name,
      marker,
      characters: extracted.text.length,
      metadata: document.metadata,
      pages: extracted.pages.map(({ number, start, end }) => ({ number, start, end })),
    } satisfies Json,
    line: `${marker} ${title} → ${name}`,
  };
}

async function mountChunks(ids: readonly string[], context: MountContext) {
  return Promise.all(
    ids.map(async (id, index) => {
      const { chunk, document } = await findChunk(id, context);
      const source: Source = { kind: 'chunk', chunk: { ...chunk, score: 0 } };
      const marker = `[${context.cite(source)}]`;
      return {
        source,
        entry: {
          chunk_id: chunk.id,
          document_id: chunk.documentId,
          title: document.title,
          page: chunk.page,
          marker,
          text: chunk.text,
        } satisfies Json,
        line: `${marker} ${oneLine(document.title)} → passages[${index}]`,
      };
    }),
  );
}
