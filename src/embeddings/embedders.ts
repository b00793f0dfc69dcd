import type { EmbeddingModel } from './embedding-model.ts';
import type { LearningSource } from './lsa/learning-source.ts';
import type { PackagedModel } from './static/static-model.ts';

/** Available embedders. */
export interface Embedders {
  /** The required embedder; if undefined the corpus decides, so that an API key added later does not invalidate it. */
  readonly required: string | undefined;
  /** The default for a new corpus. */
  readonly preferred: string;
  /** Creates an embedder without loading or connecting. Throws `unknown_model` or `not_configured`. */
  create(name: string): EmbeddingModel;
  /** The model shipped with this package; its vectors are concatenated with those of the trained one. */
  packaged(): Promise<PackagedModel>;
  /**
   * Trains an embedder on the corpus; `signal` aborts immediately. Yields the progress from 0 to 1 and returns the
   * serialised model.
   */
  learn(source: LearningSource, signal: AbortSignal): AsyncGenerator<number, Uint8Array>;
}

/** Adds an embedder and requires the corpus to use it. */
export function withEmbedder(embedders: Embedders, own: EmbeddingModel): Embedders {
  return {
    ...embedders,
    required: own.name,
    preferred: own.name,
    create: (name) => (name === own.name ? own : embedders.create(name)),
  };
}
