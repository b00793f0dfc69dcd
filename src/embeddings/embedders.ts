import type { EmbeddingModel } from './embedding-model.ts';
import type { LearningSource } from './lsa/learning-source.ts';

/** The embedders a corpus can be embedded with. */
export interface Embedders {
  /** The one that is required; undefined lets the corpus decide, so that a key added later does not make its vectors useless. */
  readonly required: string | undefined;
  /** The one for a new corpus. */
  readonly preferred: string;
  /** Loads and connects nothing yet. Throws `unknown_model` or `not_configured`. */
  create(name: string): EmbeddingModel;
  /**
   * Trains the embedder that is learned from the corpus, which `signal` ends at once. Yields the progress from 0 to 1;
   * returns the artefact.
   */
  learn(source: LearningSource, signal: AbortSignal): AsyncGenerator<number, Uint8Array>;
}

/** The same embedders and one more, which the corpus is required to be embedded with. */
export function withEmbedder(embedders: Embedders, own: EmbeddingModel): Embedders {
  return {
    ...embedders,
    required: own.name,
    preferred: own.name,
    create: (name) => (name === own.name ? own : embedders.create(name)),
  };
}
