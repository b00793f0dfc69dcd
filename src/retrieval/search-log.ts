import type { Correction } from '../store/chunk-search.ts';
import type { SearchPlan } from './plan-search.ts';
import type { DroppedHit, SearchExplanation } from './retriever.ts';

/** Collects the explanation, timings and notes of a search. */
export interface SearchLog {
  note(text: string): void;
  /** Runs one leg and adds its duration; the durations of concurrent variants add up. */
  time<Result>(leg: 'embed' | 'semantic' | 'fullText' | 'rerank', work: () => Promise<Result>): Promise<Result>;
  hits(leg: 'semantic' | 'fullText', count: number): void;
  /** Hits of a leg until now; null when it did not run. */
  found(leg: 'semantic' | 'fullText'): number | null;
  /** Records the parsed operators of the query. */
  phraseFilters(phraseFilters: NonNullable<SearchExplanation['phraseFilters']>): void;
  /** Records spelling corrections for words of the query or of a variant. */
  corrections(corrections: readonly Correction[]): void;
  drop(drop: DroppedHit): void;
  reranked(by: { readonly name: string; readonly depth: number }): void;
  explain(strategy: string, plan: SearchPlan, embedder: string, terms: readonly string[]): SearchExplanation;
}

export function createSearchLog(): SearchLog {
  const milliseconds = { embed: 0, semantic: 0, fullText: 0, rerank: 0 };
  const hits: { semantic: number | null; fullText: number | null } = { semantic: null, fullText: null };
  const notes = new Set<string>();
  const corrected = new Map<string, Correction>();
  const dropped = new Map<string, DroppedHit>();
  let reranker: SearchExplanation['reranker'];
  let phraseFilters: SearchExplanation['phraseFilters'];
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
    found: (leg) => hits[leg],
    phraseFilters: (parsed) => {
      phraseFilters = parsed;
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
    explain: (strategy, { kind, hybrid, fusion }, embedder, terms) => ({
      kind,
      strategy,
      embedder: kind === 'full_text' ? null : embedder,
      hybrid: kind === 'hybrid' ? hybrid : null,
      fusion: kind === 'hybrid' ? fusion : null,
      semanticHits: hits.semantic,
      fullTextHits: hits.fullText,
      terms: kind === 'semantic' ? [] : terms,
      ...(corrected.size > 0 && { corrections: [...corrected.values()] }),
      ...(dropped.size > 0 && { dropped: [...dropped.values()] }),
      ...(reranker && { reranker }),
      ...(phraseFilters && { phraseFilters }),
      milliseconds,
      notes: [...notes],
    }),
  };
}
