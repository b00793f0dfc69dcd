import { defaultAdmin } from '../../../src/access/principal.ts';
import type { Citation } from '../../../src/citations/citation.ts';
import type { ScoredChunk } from '../../../src/documents/chunk.ts';
import type { RagAnswer } from '../../../src/rag/rag-event.ts';
import type { Retriever, SearchExplanation, SearchOutcome } from '../../../src/retrieval/retriever.ts';
import type { SearchSettings } from '../../../src/retrieval/search-settings.ts';

const paris: ScoredChunk = {
  id: '5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0001',
  documentId: '5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0002',
  ownerId: defaultAdmin.userId,
  collectionIds: [...defaultAdmin.collectionIds],
  text: 'Paris is the capital of France. It lies on the Seine.',
  order: 0,
  start: 100,
  end: 153,
  page: 3,
  headingPath: ['Europe', 'France'],
  metadata: { title: 'Capitals', document_type: 'md', version: 'v0', chunk_order: 0 },
  score: 0.75,
  semantic: { rank: 2, score: 0.5 },
  fullText: { rank: 1, score: 0.9 },
};

export const parisCitation: Citation = {
  id: 'cit.1',
  number: 1,
  source: { kind: 'chunk', chunk: paris },
  spans: [{ start: 31, end: 34 }],
  quotes: [
    { start: 100, end: 131, text: 'Paris is the capital of France.', page: 3, headingPath: ['Europe', 'France'] },
  ],
};

const explanation: SearchExplanation = {
  kind: 'hybrid',
  strategy: 'vanilla',
  embedder: 'builtin/lexical-hash-v1',
  fusion: 'ranks',
  hybrid: { fullTextWeight: 1, semanticWeight: 5, fullTextLimit: 200, rrfK: 50 },
  semanticHits: 1,
  fullTextHits: 1,
  terms: ['capit', 'franc'],
  milliseconds: { embed: 1, semantic: 2, fullText: 3 },
  notes: [],
};

export const outcome: SearchOutcome = { chunks: [paris], explanation };

export const answer: RagAnswer = {
  text: 'Paris is the capital of France [1].',
  citations: [parisCitation],
  search: outcome,
  model: 'openai/gpt-test',
  mode: 'generative',
  stopReason: 'end',
  usage: { input: 10, cachedInput: 4, output: 5, reasoning: 0 },
};

/** A retriever that always finds Paris and records its queries. */
export function recordingRetriever(): Retriever & { readonly asked: { query: string; settings: SearchSettings }[] } {
  const asked: { query: string; settings: SearchSettings }[] = [];
  return {
    asked,
    async search(query, settings) {
      asked.push({ query, settings });
      return outcome;
    },
  };
}
