import type { ScoredChunk } from '../../src/documents/chunk.ts';
import type { Retriever, SearchOutcome } from '../../src/retrieval/retriever.ts';

/** A chunk as returned by a search; by default its id is derived from its text. */
export function foundChunk(text: string, given: Partial<ScoredChunk> = {}): ScoredChunk {
  return {
    id: given.id ?? `chunk ${text.slice(0, 40)}`,
    documentId: 'document',
    ownerId: 'owner',
    collectionIds: [],
    text,
    order: 0,
    start: 0,
    end: (given.start ?? 0) + text.length,
    page: null,
    headingPath: [],
    metadata: { title: 'Guide' },
    score: 0.5,
    ...given,
  };
}

const outcomeOf = (chunks: readonly ScoredChunk[]): SearchOutcome => ({
  chunks,
  explanation: {
    kind: 'full_text',
    strategy: 'vanilla',
    embedder: null,
    hybrid: null,
    fusion: null,
    semanticHits: null,
    fullTextHits: chunks.length,
    terms: [],
    milliseconds: { embed: 0, semantic: 0, fullText: 0 },
    notes: [],
  },
});

/** A retriever with the same hits for every query. */
export const finding = (...chunks: readonly ScoredChunk[]): Retriever => ({
  search: async (_query, _settings, signal) => {
    signal.throwIfAborted();
    return outcomeOf(chunks);
  },
});
