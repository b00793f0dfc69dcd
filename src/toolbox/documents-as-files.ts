import type { Source } from '../citations/citation.ts';
import type { Document, Json } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { toSafeName } from '../sandbox/read-reply.ts';
import { byteCount } from '../shared/byte-count.ts';
import { shortLine } from '../shared/text.ts';
import type { ExtractedText } from '../store/corpus.ts';
import { findChunk } from './find-chunk.ts';
import { findDocument, type VisibleLibrary } from './find-document.ts';
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
 * Provides the extracted text of visible documents as files `documents/<id>.txt`, their original files beside it as far
 * as `availableBytes` bytes allow, and chunks as the variable `passages`. Throws `not_found` for items that are not visible or
 * have neither text nor a file.
 */
export async function documentsAsFiles(
  documentIds: readonly string[],
  chunkIds: readonly string[],
  { availableBytes, ...context }: MountContext & { readonly availableBytes: number },
): Promise<MountedDocuments> {
  const loaded = await Promise.all([...new Set(documentIds)].map((id) => loadDocument(id, availableBytes, context)));
  const taken = new Set(loaded.map(({ document }) => `documents/${document.id}.txt`));
  let left = availableBytes - loaded.reduce((sum, { text }) => sum + (text?.byteLength ?? 0), 0);
  const documents = loaded.map((each) => {
    const mounted = mountDocument(each, { taken, availableBytes: left, context });
    left -= mounted.originalBytes;
    return mounted;
  });
  const chunks = await mountChunks(chunkIds, context);
  return {
    files: documents.flatMap(({ files }) => files),
    variables: {
      ...(documents.length > 0 && { documents: documents.map(({ entry }) => entry) }),
      ...(chunks.length > 0 && { passages: chunks.map(({ entry }) => entry) }),
    },
    sources: [...documents, ...chunks].map(({ source }) => source),
    lines: [...documents, ...chunks].map(({ line }) => line),
  };
}

interface LoadedDocument {
  readonly document: Document;
  readonly extracted: ExtractedText | undefined;
  readonly text: Uint8Array | undefined;
  readonly original: Uint8Array | undefined;
  /** Whether the original exceeds the room for all documents, so it was not read. */
  readonly isTooLarge: boolean;
}

async function loadDocument(given: string, availableBytes: number, context: MountContext): Promise<LoadedDocument> {
  const document = await findDocument(given, context);
  const isTooLarge = document.sizeInBytes > availableBytes;
  const [extracted, original] = await Promise.all([
    context.library.textOf(document.id),
    isTooLarge ? undefined : context.library.bytesOf(document.id),
  ]);
  const text = extracted === undefined || extracted.text === '' ? undefined : Buffer.from(extracted.text);
  if (text === undefined && original === undefined && !isTooLarge) {
    const title = shortLine(document.title);
    throw new ServiceError('not_found', `"${title}" has no text: its ingestion is ${document.ingestionStatus}.`);
  }
  return { document, extracted, text, original, isTooLarge };
}

interface MountParts {
  /** Names in use. */
  readonly taken: Set<string>;
  readonly availableBytes: number;
  readonly context: MountContext;
}

function mountDocument(loaded: LoadedDocument, { taken, availableBytes, context }: MountParts) {
  const { document, extracted, text, original, isTooLarge } = loaded;
  const title = shortLine(document.title);
  const source: Source = { kind: 'document', document };
  const marker = `[${context.cite(source)}]`;
  const path = text && `documents/${document.id}.txt`;
  // The original of a plain text document equals its extracted text, so it is provided only once.
  const isText = text !== undefined && original !== undefined && Buffer.compare(text, original) === 0;
  const fits = original !== undefined && original.byteLength <= availableBytes;
  const safeName = document.fileName.replaceAll('/', '_') || 'file';
  const file = isText ? path : fits ? toSafeName(`documents/${safeName}`, taken) : undefined;
  const isCopied = file !== undefined && !isText;
  const tooLarge =
    isTooLarge || (original !== undefined && file === undefined)
      ? `its file ${shortLine(document.fileName)} is not given, ${byteCount(document.sizeInBytes)} are too large`
      : undefined;
  return {
    source,
    originalBytes: isCopied ? (original?.byteLength ?? 0) : 0,
    files: [
      ...(path && text ? [{ name: path, bytes: text }] : []),
      ...(isCopied && original ? [{ name: file, bytes: original }] : []),
    ],
    entry: {
      id: document.id,
      title: document.title,
      path: path ?? null,
      file: file ?? null,
      file_name: document.fileName,
      media_type: document.mediaType,
      marker,
      characters: extracted?.text.length ?? 0,
      metadata: document.metadata,
      pages: (extracted?.pages ?? []).map(({ number, start, end }) => ({ number, start, end })),
    } satisfies Json,
    line: `${marker} ${title} → ${[path, isCopied ? `original ${file}` : undefined, tooLarge].filter((part) => part !== undefined).join('; ')}`,
  };
}

async function mountChunks(ids: readonly string[], context: MountContext) {
  const found = await Promise.all(ids.map((id) => findChunk(id, context)));
  // Numbered only now, so that the numbers follow the order of the list.
  return found.map(({ chunk, document }, index) => {
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
      line: `${marker} ${shortLine(document.title)} → passages[${index}]`,
    };
  });
}
