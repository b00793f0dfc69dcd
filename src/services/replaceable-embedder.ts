import type { EmbeddingModel } from '../embeddings/embedding-model.ts';

/** The embedder everybody holds, which a re-embedding of the corpus changes under way. */
export interface ReplaceableEmbedder {
  readonly embeddings: EmbeddingModel;
  replace(embedder: EmbeddingModel): void;
}

export function replaceableEmbedder(first: EmbeddingModel): ReplaceableEmbedder {
  let current = first;
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
    },
  };
}
