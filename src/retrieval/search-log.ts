import type { Correction } from '../store/chunk-search.ts';
import type { SearchPlan } from './plan-search.ts';
import type { Drop, SearchExplanation } from './retriever.ts';

/** Collects what a search wants to tell of itself. */
export interface SearchLog {
  note(text: string): void;
  /** Runs one leg and adds the time it took; legs of several variants run side by side and add up. */
  time<Result>(leg: 'embed' | 'semantic' | 'fullText' | 'rerank', work: () => Promise<Result>): Promise<Result>;
  hits(leg: 'semantic' | 'fullText', count: number): void;
  /** What was read out of the query's marks. */
  wording(wording: NonNullable<SearchExplanation['wording']>): void;
  /** Words of the query, or of a variant of it, that were taken for misspelt. */
  corrections(corrections: readonly Correction[]): void;
  drop(drop: Drop): void;
  reranked(by: { readonly name: string; readonly depth: number }): void;
  explain(strategy: string, plan: SearchPlan, embedder: string, terms: readonly string[]): SearchExplanation;
}

export function createSearchLog(): SearchLog {
  const milliseconds = { embed: 0, semantic: 0, fullText: 0, rerank: 0 };
  const hits: { semantic: number | null; fullText: number | null } = { semantic: null, fullText: null };
  const notes = new Set<string>();
  const corrected = new Map<string, Correction>();
  const dropped = new Map<string, Drop>();
  let reranker: SearchExplanation['reranker'];
  let said: SearchExplanation['wording'];
  return {
    note: (text) => {
      notes.add(text);
    },
    async time(leg, work) {
      const start = performance.now();
      try {
        return await work();
      } finally {
        milliseconds[leg] += performance.now() - start;
      }
    },
    hits(leg, count) {
      hits[leg] = (hits[leg] ?? 0) + count;
    },
    wording: (wording) => {
      said = wording;
    },
    corrections: (corrections) => {
      for (const each of corrections) corrected.set(each.word, each);
    },
    drop: (drop) => {
      dropped.set(drop.id, drop);
    },
    reranked: (by) => {
      reranker = by;
    },
    explain: (strategy, { kind, hybrid }, embedder, terms) => ({
      kind,
      strategy,
      embedder: kind === 'full_text' ? null : embedder,
      hybrid: kind === 'hybrid' ? hybrid : null,
      semanticHits: hits.semantic,
      fullTextHits: hits.fullText,
      terms: kind === 'semantic' ? [] : terms,
      ...(corrected.size > 0 && { corrections: [...corrected.values()] }),
      ...(dropped.size > 0 && { dropped: [...dropped.values()] }),
      ...(reranker && { reranker }),
      ...(said && { wording: said }),
      milliseconds,
      notes: [...notes],
    }),
  };
}
