import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/citations/citation.ts';
import { addressOfSource, sourceAddress } from '../../src/citations/source-address.ts';
import type { ScoredChunk } from '../../src/documents/chunk.ts';
import { readSourceAddress } from '../../src/page/app/views/source/quote.ts';

const documentId = '5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0002';
const chunk: ScoredChunk = {
  id: 'a',
  documentId,
  ownerId: 'b',
  collectionIds: [],
  text: 'Paris',
  order: 0,
  start: 0,
  end: 5,
  page: null,
  headingPath: [],
  version: 'v1',
  metadata: {},
  score: 1,
};
const quotes = [
  { start: 3, end: 9 },
  { start: 20, end: 31 },
];

describe('the address of a source', () => {
  it('round-trips through the page, with any version label', () => {
    for (const version of [undefined, 'v1', '2026/03 #1?']) {
      const { pathname, searchParams } = new URL(sourceAddress(documentId, { version, quotes }), 'http://localhost');
      expect(readSourceAddress(pathname, searchParams)).toEqual({ documentId, quotes, ...(version && { version }) });
    }
  });

  it('names a version only if it has been replaced since', () => {
    const address = (source: Source) => addressOfSource(source, quotes.slice(0, 1));
    expect(address({ kind: 'chunk', chunk })).toBe(`/d/${documentId}?q=3-9`);
    expect(address({ kind: 'chunk', chunk: { ...chunk, isReplaced: true } })).toBe(`/d/${documentId}@v1?q=3-9`);
  });
});
