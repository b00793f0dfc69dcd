import { raceAbort } from '../../shared/abort.ts';
import type { EmbeddingModel } from '../embedding-model.ts';

/** The embedder everybody holds, which a re-embedding of the corpus changes under way. */
export interface ReplaceableEmbedder {
  readonly embeddings: EmbeddingModel;
  replace(embedder: EmbeddingModel): void;
  /** The next one, once there is one. */
  successor(signal?: AbortSignal): Promise<EmbeddingModel>;
}

export function replaceableEmbedder(first: EmbeddingModel): ReplaceableEmbedder {
  let current = first;
  let next = Promise.withResolvers<EmbeddingModel>();
  return {
    embeddings: {
      get name() {
        return current.name;
      },
      get isLexical() {
        return current.isLexical;
      },
      get isLearned() {
        return current.isLearned === true;
      },
      space: (signal) => current.space(signal),
      embed: (texts, kind, signal) => current.embed(texts, kind, signal),
    },
    replace: (embedder) => {
      current = embedder;
      next.resolve(embedder);
      next = Promise.withResolvers<EmbeddingModel>();
    },
    successor: (signal) => raceAbort(next.promise, signal),
  };
}
