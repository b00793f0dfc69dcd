import type { EmbeddingModel } from './embedding-model.ts';

/** The same embedder; who asks for the vector of a query that is being made already waits for that one. */
export function sharingQueries(model: EmbeddingModel): EmbeddingModel {
  const underWay = new Map<string, Promise<Float32Array[]>>();
  return {
    get name() {
      return model.name;
    },
    get isLexical() {
      return model.isLexical;
    },
    get isLearned() {
      return model.isLearned === true;
    },
    space: (signal) => model.space(signal),
    async embed(texts, kind, signal) {
      const [text] = texts;
      if (kind !== 'query' || texts.length !== 1 || text === undefined) return model.embed(texts, kind, signal);
      const key = `${model.name}\n${text}`;
      const known = underWay.get(key);
      if (known !== undefined) {
        // Who asked first may have left; that is not the failure of who stayed.
        return known.catch(() => model.embed(texts, kind, signal));
      }
      const asked = model.embed(texts, kind, signal);
      underWay.set(key, asked);
      try {
        return await asked;
      } finally {
        underWay.delete(key);
      }
    },
  };
}
