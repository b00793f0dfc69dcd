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
  /** What becomes of the ranked hits; left out, nothing. */
  readonly shaping?: Partial<ShapingSettings>;
  /** Left out, the reranker there is, if any, reads as many hits as usual. */
  readonly rerank?: RerankSettings;
  /** What to look for in the graph; left out, everything that the usual limits let in. */
  readonly graph?: GraphSettings;
}

/** What becomes of the ranked hits, beyond the contract. */
export interface ShapingSettings {
  /** From 0, the order as it is, to 1, passages as different as can be. */
  readonly diversity: number;
  readonly maxPerDocument: number | null;
  /** Passages that say the same in the same words are one hit. */
  readonly foldDuplicates: boolean;
  /** Hits that follow one another in a document are one hit. */
  readonly mergeNeighbours: boolean;
}

export const defaultShaping: ShapingSettings = {
  diversity: 0,
  maxPerDocument: null,
  foldDuplicates: false,
  mergeNeighbours: false,
};

export interface RerankSettings {
  readonly enabled: boolean;
  /** The first so many hits are read by the reranker. */
  readonly depth?: number;
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
