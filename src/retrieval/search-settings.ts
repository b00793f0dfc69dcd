import { everything, type Filter } from '../documents/filter.ts';
import type { Audience } from '../errors.ts';
import type { DistanceMeasure } from '../store/chunk-search.ts';

export type SearchKind = 'semantic' | 'full_text' | 'hybrid';
export type SearchStrategy = 'vanilla' | 'hyde' | 'rag_fusion';

/** Weights and limits of the fusion, docs/contract.md 4.1. */
export interface HybridSettings {
  readonly fullTextWeight: number;
  readonly semanticWeight: number;
  /** Number of candidates from the full-text leg. */
  readonly fullTextLimit: number;
  readonly rrfK: number;
}

/** Search settings. Undefined `kind` and hybrid weights default to values that suit the embedder. */
export interface SearchSettings {
  readonly kind?: SearchKind;
  readonly filter: Filter;
  /**
   * What the caller may see, if `filter` selects only a part of it: a word that occurs there is correct, even if no
   * passage that passes the filter contains it.
   */
  readonly readable?: Filter;
  /** Who reads the notes; administrators when absent. */
  readonly audience?: Audience;
  /** Searches the state of the corpus at this time (ISO-8601, UTC) instead of the current one. */
  readonly asOf?: string;
  readonly limit: number;
  readonly offset: number;
  readonly measure: DistanceMeasure;
  readonly hybrid: Partial<HybridSettings>;
  readonly strategy: SearchStrategy;
  readonly subQueries: number;
  /** Returns an explanation of each hit's rank. */
  readonly explain: boolean;
  /** Post-processing of the ranked hits; none when absent. */
  readonly shaping?: Partial<ShapingSettings>;
  /** When absent, the configured reranker, if any, scores its default number of hits. */
  readonly rerank?: RerankSettings;
  /** Graph search; with default limits when absent. */
  readonly graph?: GraphSettings;
}

/** Post-processing of the ranked hits, an extension of the contract. */
export interface ShapingSettings {
  /** MMR diversity from 0, the original order, to 1, maximally different chunks. */
  readonly diversity: number;
  readonly maxPerDocument: number | null;
  /** Folds near-duplicate chunks into one hit. */
  readonly foldDuplicates: boolean;
  /** Merges consecutive chunks of a document into one hit. */
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
  /** Number of top hits the reranker scores. */
  readonly depth?: number;
}

/** Graph search settings, docs/contract.md 4.1, 4.5. Absent limits are those of the search. */
export interface GraphSettings {
  readonly enabled: boolean;
  /** `global` searches communities only. */
  readonly kind: 'local' | 'global';
  readonly limits: { readonly entities?: number; readonly relationships?: number; readonly communities?: number };
  /** False when only the graph is searched. */
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
