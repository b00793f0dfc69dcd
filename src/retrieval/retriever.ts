import type { ScoredChunk } from '../documents/chunk.ts';
import type { GraphHit } from '../documents/graph-hit.ts';
import type { Correction } from '../store/chunk-search.ts';
import type { Coverage } from './coverage.ts';
import type { HybridSettings, SearchKind, SearchSettings } from './search-settings.ts';

/** How a search was carried out, for `explain`. */
export interface SearchExplanation {
  readonly kind: SearchKind;
  readonly strategy: string;
  /** The standalone query, if the question depended on a conversation. */
  readonly searched?: string;
  readonly embedder: string | null;
  readonly hybrid: HybridSettings | null;
  /** How the legs were fused, with the weights above; null when there was one leg. */
  readonly fusion: 'ranks' | 'scores' | null;
  /** Hits of each leg before fusion; null when the leg did not run. */
  readonly semanticHits: number | null;
  readonly fullTextHits: number | null;
  /** The terms the full-text leg looked for. */
  readonly terms: readonly string[];
  /** How much of the question the top hits cover; absent unless requested. */
  readonly coverage?: Coverage | null;
  /** Words found in no chunk, and the terms searched in their place. */
  readonly corrections?: readonly Correction[];
  /** The reranker, and the number of hits it scored. */
  readonly reranker?: { readonly name: string; readonly depth: number };
  /** Quoted phrases, whether all hits or only the first ones contain them, and excluded ones. */
  readonly phraseFilters?: {
    readonly phrases: readonly string[];
    readonly required: readonly string[];
    readonly preferred: readonly string[];
    readonly excluded: readonly string[];
  };
  /** Hits that are not shown separately, and why. */
  readonly dropped?: readonly DroppedHit[];
  readonly milliseconds: {
    readonly embed: number;
    readonly semantic: number;
    readonly fullText: number;
    readonly graph?: number;
    readonly rerank?: number;
  };
  /** Remarks for the caller, e.g. that the vector index is being rebuilt. */
  readonly notes: readonly string[];
}

export interface DroppedHit {
  readonly id: string;
  readonly reason: 'duplicate' | 'max_per_document' | 'merged';
  /** The hit shown in its place. */
  readonly of?: string;
}

export interface SearchOutcome {
  /** Best first, after offset and limit. */
  readonly chunks: readonly ScoredChunk[];
  /** Entities, then relationships, then communities, each best first; absent when the graph was not searched. */
  readonly graph?: readonly GraphHit[];
  readonly explanation: SearchExplanation;
}

/**
 * Searches chunks; the only search interface. `"exact words"` must occur in every hit, or, for a question, rank first;
 * `-word` and `-"exact words"` must occur in none (see `readQuery`). Throws `invalid_request` for an empty query and
 * for one that consists of exclusions only.
 */
export interface Retriever {
  search(query: string, settings: SearchSettings, signal: AbortSignal): Promise<SearchOutcome>;
}
