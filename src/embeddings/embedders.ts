import type { EmbeddingModel } from './embedding-model.ts';
import type { LearningSource } from './lsa/learning-source.ts';
import type { PackagedModel } from './static/static-model.ts';

/** Available embedders. */
export interface Embedders {
  /** The required embedder; if undefined the corpus decides, so that a key added later does not make its vectors useless. */
  readonly required: string | undefined;
  /** The default for a new corpus. */
  readonly preferred: string;
  /** Creates an embedder without loading or connecting. Throws `unknown_model` or `not_configured`. */
  create(name: string): EmbeddingModel;
  /** The model of this package, which is joined with the trained one. */
  packaged(): Promise<PackagedModel>;
  /**
   * Trains an embedder on the corpus; `signal` aborts at once. Yields the progress from 0 to 1 and returns the serialized
   * model.
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
