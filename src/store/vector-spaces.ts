import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { VectorSpaceName } from './vector-index.ts';

export interface VectorSpace extends VectorSpaceName {
  readonly collection: string;
  readonly state: 'current' | 'building' | 'previous';
  readonly vectors: number;
  readonly createdAt: string;
}

export interface ReindexProgress {
  readonly done: number;
  readonly total: number;
}

/** Which embedder's vectors are searched, and how to change that (chances.md C4). */
export interface VectorSpaces {
  list(): Promise<readonly VectorSpace[]>;
  current(): Promise<VectorSpace | undefined>;
  /**
   * The current space must be that of this embedder; adopts it when the corpus is empty.
   * Throws `embedding_mismatch`, naming both and the command that helps.
   */
  claim(name: VectorSpaceName): Promise<VectorSpace>;
  /**
   * Embeds every chunk into a second space beside the current one, then switches. Interrupted, it goes on where it
   * stopped. Documents that arrive meanwhile are in both. The old space is kept as `previous`.
   */
  reindex(embedder: EmbeddingModel, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
  /** Makes the previous space current again, completing it first if chunks came since; the caller embeds with `embedder`. */
  goBack(embedder: EmbeddingModel, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
}
