import { everything, type Filter } from '../documents/filter.ts';
import type { DistanceMeasure } from '../store/chunk-search.ts';

export type SearchKind = 'semantic' | 'full_text' | 'hybrid';
export type SearchStrategy = 'vanilla' | 'hyde' | 'rag_fusion';

/** Weights and limits of the fusion, r2r-v3.md 4.1. */
export interface HybridSettings {
  readonly fullTextWeight: number;
  readonly semanticWeight: number;
  /** Candidates taken from the full-text leg. */
  readonly fullTextLimit: number;
  readonly rrfK: number;
}

/** How to search. Undefined `kind` and hybrid weights are chosen to fit the embedder. */
export interface SearchSettings {
  readonly kind?: SearchKind;
  readonly filter: Filter;
  /** The state of the corpus to search: that at this time (ISO-8601, UTC) instead of the present one. */
  readonly asOf?: string;
  readonly limit: number;
  readonly offset: number;
  readonly measure: DistanceMeasure;
  readonly hybrid: Partial<HybridSettings>;
  readonly strategy: SearchStrategy;
  readonly subQueries: number;
  /** Ask for how each hit came to its place. */
  readonly explain: boolean;
  /** What to look for in the graph; left out, everything that the usual limits let in. */
  readonly graph?: GraphSettings;
}

/** How to search the graph, r2r-v3.md 4.1 and 4.5. Limits left out are those of the search. */
export interface GraphSettings {
  readonly enabled: boolean;
  /** `global` looks at communities alone. */
  readonly kind: 'local' | 'global';
  readonly limits: { readonly entities?: number; readonly relationships?: number; readonly communities?: number };
  /** False where only the graph is to be searched. */
  readonly withChunks: boolean;
}

export const defaultGraphSettings: GraphSettings = { enabled: true, kind: 'local', limits: {}, withChunks: true };

export const defaultSearchSettings: SearchSettings = {
  filter: everything,
  limit: 10,
  offset: 0,
  measure: 'cosine_distance',
  hybrid: {},
  strategy: 'vanilla',
  subQueries: 5,
  explain: false,
};
