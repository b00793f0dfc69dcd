import type { Chunk } from '../documents/chunk.ts';
import type { Document } from '../documents/document.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { explainEmptyCorpus } from './explain-empty-corpus.ts';
import { findDocument, type VisibleLibrary, visibleDocument } from './find-document.ts';
import { readId } from './short-id.ts';

export interface FoundChunk {
  readonly chunk: Chunk;
  readonly document: Document;
}

/** The visible chunk with this full or short identifier, or with the marker of an earlier result. Throws `not_found`. */
export async function findChunk(given: string, context: VisibleLibrary): Promise<FoundChunk> {
  const found = await resolveChunk(given, context);
  if (found !== undefined) return found;
  const why = (await explainEmptyCorpus(context)) ?? 'Documents may have been ingested again since.';
  throw new ServiceError('not_found', `No chunk "${given}" is visible here. ${why}`);
}

/** Like `findChunk`, but undefined when missing; throws only when a short identifier is ambiguous. */
export async function resolveChunk(given: string, context: VisibleLibrary): Promise<FoundChunk | undefined> {
  const read = readId(given);
  if (read.kind === 'marker') {
    const id = context.cited?.(read.number)?.chunkId;
    return id === undefined ? undefined : byId(id, context);
  }
  if (read.kind === 'chunk') {
    const document = await findDocument(read.document, context);
    const { items } = await context.library.chunksOf(document.id, { offset: read.order, limit: 1 });
    const [chunk] = items;
    return chunk?.order === read.order ? { chunk, document } : undefined;
  }
  return isUuid(given.trim()) ? byId(given.trim(), context) : undefined;
}

async function byId(id: string, context: VisibleLibrary): Promise<FoundChunk | undefined> {
  const [chunk] = await context.library.chunksById([id.toLowerCase()]);
  // Invisible and missing chunks are indistinguishable to the caller.
  const document = chunk && (await visibleDocument(chunk.documentId, context));
  return chunk && document && { chunk, document };
}
