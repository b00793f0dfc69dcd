import type { Chunk } from '../documents/chunk.ts';

/** Length of a short identifier; a tool that finds it ambiguous lists the candidates. */
const SHORT_ID_LENGTH = 8;

/** Prefix of a document id, accepted by every tool in place of the id. */
export const shortDocumentId = (id: string): string => id.slice(0, SHORT_ID_LENGTH);

/** `1f0c9a2b:12`: short document id and position of the chunk, accepted by every tool in place of the chunk id. */
export const shortChunkId = ({ documentId, order }: Pick<Chunk, 'documentId' | 'order'>): string =>
  `${shortDocumentId(documentId)}:${order}`;

/** Kinds of short identifiers. */
export type ShortId =
  | { readonly kind: 'marker'; readonly number: number }
  | { readonly kind: 'chunk'; readonly document: string; readonly order: number }
  | { readonly kind: 'other' };

/** Parses `[3]`, `3` or `cit.3`; `1f0c9a2b:12`; anything else. */
export function readId(given: string): ShortId {
  const text = given.trim();
  const [, number] = /^(?:\[(?:\^|source )?|cit\.)?(\d{1,6})\]?$/i.exec(text) ?? [];
  if (number !== undefined) return { kind: 'marker', number: Number(number) };
  const [, document, order] = /^([0-9a-f-]{4,36}):(\d{1,7})$/i.exec(text) ?? [];
  if (document !== undefined) return { kind: 'chunk', document, order: Number(order) };
  return { kind: 'other' };
}
