import { defaultAdmin } from '../../src/access/principal.ts';
import { defaultCollectionId, documentId } from '../../src/documents/ids.ts';
import type { NewChunk, NewDocument, Publication } from '../../src/store/corpus.ts';

/** A new document, identified by its name. */
export function newDocument(name: string, change: Partial<NewDocument> = {}): NewDocument {
  const ownerId = defaultAdmin.userId;
  return {
    id: documentId(name, ownerId),
    ownerId,
    collectionIds: [defaultCollectionId(ownerId)],
    type: 'txt',
    title: name,
    metadata: {},
    source: null,
    fileName: `${name}.txt`,
    mediaType: 'text/plain',
    bytes: Buffer.from(`bytes of ${name}`),
    settings: {},
    ...change,
  };
}

/** A chunk at this position of its document, with a vector of its own direction. */
export function newChunk(order: number, text = `passage number ${order}`, change: Partial<NewChunk> = {}): NewChunk {
  return {
    text,
    order,
    start: 0,
    end: text.length,
    page: null,
    headingPath: [],
    vector: direction(order),
    ...change,
  };
}

export const newChunks = (count: number, text?: string): NewChunk[] =>
  Array.from({ length: count }, (_, order) => newChunk(order, text));

/** A unit vector of `testSpace`; different numbers have different directions. */
export function direction(number: number): Float32Array {
  const angle = number * 0.7;
  return Float32Array.of(Math.cos(angle) * 0.8, Math.sin(angle) * 0.8, 0.6, 0);
}

export function publication(text: string, change: Partial<Publication> = {}): Publication {
  return { text, pages: [], summary: null, totalTokens: 0, ...change };
}
