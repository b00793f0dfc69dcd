import type { Chunk } from '../documents/chunk.ts';

/** Enough of an identifier to tell documents apart; a tool that finds two names both. */
const SHORT = 8;

/** The beginning of a document's identifier, which every tool takes in its place. */
export const shortDocumentId = (id: string): string => id.slice(0, SHORT);

/** `1f0c9a2b:12`: the document and the place of the chunk in it, which every tool takes for the chunk's identifier. */
export const shortChunkId = ({ documentId, order }: Pick<Chunk, 'documentId' | 'order'>): string =>
  `${shortDocumentId(documentId)}:${order}`;

/** What an identifier in an argument can be, besides a whole one. */
export type GivenId =
  | { readonly kind: 'marker'; readonly number: number }
  | { readonly kind: 'chunk'; readonly document: string; readonly order: number }
  | { readonly kind: 'other' };

/** `[3]`, `3` or `cit.3`; `1f0c9a2b:12`; anything else. */
export function readId(given: string): GivenId {
  const text = given.trim();
  const [, number] = /^(?:\[(?:\^|source )?|cit\.)?(\d{1,6})\]?$/i.exec(text) ?? [];
  if (number !== undefined) return { kind: 'marker', number: Number(number) };
  const [, document, order] = /^([0-9a-f-]{4,36}):(\d{1,7})$/i.exec(text) ?? [];
  if (document !== undefined) return { kind: 'chunk', document, order: Number(order) };
  return { kind: 'other' };
}
