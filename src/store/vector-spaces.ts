import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { VectorSpaceName } from './vector-index.ts';

export interface VectorSpace extends VectorSpaceName {
  readonly collection: string;
  readonly state: 'current' | 'building' | 'previous';
  readonly vectors: number;
  readonly createdAt: string;
}

export interface ReindexProgress {
  /** Embedded chunks. */
  readonly done: number;
  readonly total: number;
  /** While the embedder is still being trained, before any chunk is embedded: the share done, from 0 to 1. */
  readonly trained?: number;
}

/** The vector space that is searched, and re-embedding the corpus into another one. */
export interface VectorSpaces {
  list(): Promise<readonly VectorSpace[]>;
  current(): Promise<VectorSpace | undefined>;
  /**
   * Checks that the current space is that of this embedder; an empty corpus adopts it. Throws `embedding_mismatch`,
   * naming both and the command that resolves it.
   */
  claim(name: VectorSpaceName): Promise<void>;
  /**
   * Embeds every chunk into a second space beside the current one, then switches. Resumes after an interruption.
   * Documents that arrive meanwhile are embedded in both. The old space is kept as `previous`.
   */
  reindex(embedder: EmbeddingModel, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
  /**
   * Makes the previous space current again, after embedding the chunks that were added since with
   * `embedder`.
   */
  goBack(embedder: EmbeddingModel, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
}
