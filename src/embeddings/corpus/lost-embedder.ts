import { ServiceError } from '../../errors.ts';
import type { VectorSpace } from '../../store/vector-spaces.ts';
import type { EmbeddingModel } from '../embedding-model.ts';

export interface LostEmbedderParts {
  readonly space: VectorSpace;
  /** Has it learned anew; resolves with what took its place. */
  readonly restore: (signal?: AbortSignal) => Promise<EmbeddingModel>;
}

/**
 * Stands for an embedder whose learning is gone, so that its vectors can not be added to. Questions are answered without
 * it, by full text; passages wait until it has learned anew and the corpus has moved.
 */
export function lostEmbedder({ space, restore }: LostEmbedderParts): EmbeddingModel {
  const { embedder: name, version, dimensions } = space;
  return {
    name,
    isLexical: true,
    isLearned: true,
    space: async () => ({ embedder: name, version, dimensions }),
    async embed(texts, kind, signal) {
      if (kind === 'passage') return (await restore(signal)).embed(texts, kind, signal);
      throw new ServiceError(
        'provider_failed',
        `What ${name} learned from the corpus is missing or damaged. It is learned anew; until then search is by full text.`,
      );
    },
  };
}
