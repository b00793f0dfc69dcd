import type { ScoredChunk } from '../documents/chunk.ts';
import type { GraphHit } from '../documents/graph-hit.ts';
import type { Correction } from '../store/chunk-search.ts';
import type { HybridSettings, SearchKind, SearchSettings } from './search-settings.ts';

/** How a search was carried out, for `explain` (chances.md C7). */
export interface SearchExplanation {
  readonly kind: SearchKind;
  readonly strategy: string;
  /** What was searched for where that was not the question itself, which leant on a conversation. */
  readonly searched?: string;
  readonly embedder: string | null;
  readonly hybrid: HybridSettings | null;
  /** Hits of each leg before fusion; null when the leg did not run. */
  readonly semanticHits: number | null;
  readonly fullTextHits: number | null;
  /** The terms the full-text leg looked for. */
  readonly terms: readonly string[];
  /** Words that no passage has, and what full text looked for in their place. */
  readonly corrections?: readonly Correction[];
  /** The reranker, and how many hits it read. */
  readonly reranker?: { readonly name: string; readonly depth: number };
  /** Phrases in quotation marks, which of them every hit says or the first ones do, and what no hit says. */
  readonly wording?: {
    readonly phrases: readonly string[];
    readonly required: readonly string[];
    readonly preferred: readonly string[];
    readonly excluded: readonly string[];
  };
  /** Hits of this search that are not shown by themselves, and why. */
  readonly dropped?: readonly Drop[];
  readonly milliseconds: {
    readonly embed: number;
    readonly semantic: number;
    readonly fullText: number;
    readonly graph?: number;
    readonly rerank?: number;
  };
  /** Things the caller should know, e.g. that the vector index is being rebuilt. */
  readonly notes: readonly string[];
}

export interface Drop {
  readonly id: string;
  readonly reason: 'duplicate' | 'max_per_document' | 'merged';
  /** The hit that stands for it. */
  readonly of?: string;
}

export interface SearchOutcome {
  /** Best first, after offset and limit. */
  readonly chunks: readonly ScoredChunk[];
  /** Entities, then relationships, then communities, each best first; absent where the graph was not asked. */
  readonly graph?: readonly GraphHit[];
  readonly explanation: SearchExplanation;
}

/**
 * The one way to search chunks. `"exact words"` stand so in every hit, or for a question in the first ones, and
 * `-word` and `-"exact words"` in none (see `readQuery`). Throws `invalid_request` for an empty query and one that only says what to leave out.
 */
export interface Retriever {
  search(query: string, settings: SearchSettings, signal: AbortSignal): Promise<SearchOutcome>;
}
