import { ServiceError } from '../../errors.ts';
import type { VectorSpace } from '../../store/vector-spaces.ts';
import type { EmbeddingModel } from '../embedding-model.ts';

/** Stands for the embedder of the corpus until `open` has chosen it. */
export function unopenedEmbedder(name: string): EmbeddingModel {
  const refuse = async () => {
    throw new Error('The embedder of the corpus is used before the services are started.');
  };
  return { name, isLexical: true, space: refuse, embed: refuse };
}

interface LostEmbedderParts {
  readonly space: VectorSpace;
  /** Retrains; resolves with the new embedder. */
  readonly retrain: (signal?: AbortSignal) => Promise<EmbeddingModel>;
}

/**
 * Stands for a trained embedder whose model is lost. Queries fall back to full text; chunks wait until the model is
 * retrained and the corpus re-embedded.
 */
export function lostEmbedder({ space, retrain }: LostEmbedderParts): EmbeddingModel {
  const { embedder: name, version, dimensions } = space;
  return {
    name,
    isLexical: true,
    isLearned: true,
    space: async () => ({ embedder: name, version, dimensions }),
    async embed(texts, kind, signal, options) {
      if (kind === 'passage') return (await retrain(signal)).embed(texts, kind, signal, options);
      throw new ServiceError(
        'provider_failed',
        `The model that ${name} learned from the corpus is missing or damaged. It is being retrained; until then search uses full text only.`,
      );
    },
  };
}
