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

/** The visible chunk with this identifier, whole or short, or that of an earlier result's marker. Throws `not_found`. */
export async function findChunk(given: string, context: VisibleLibrary): Promise<FoundChunk> {
  const found = await resolveChunk(given, context);
  if (found !== undefined) return found;
  const why = (await explainEmptyCorpus(context)) ?? 'Documents may have been ingested again since.';
  throw new ServiceError('not_found', `No chunk "${given}" is visible here. ${why}`);
}

/** The same, or undefined; throws only for the beginning of an identifier that several documents share. */
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
  // A chunk out of sight is told from a missing one by nothing.
  const document = chunk && (await visibleDocument(chunk.documentId, context));
  return chunk && document && { chunk, document };
}
