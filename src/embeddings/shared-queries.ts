import type { EmbeddingModel } from './embedding-model.ts';

/** Wraps an embedder so that concurrent requests for the same query share one call. */
export function withSharedQueries(model: EmbeddingModel): EmbeddingModel {
  const pending = new Map<string, Promise<Float32Array[]>>();
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
    get isSmall() {
      return model.isSmall;
    },
    get isProvisional() {
      return model.isProvisional;
    },
    get fullTextShare() {
      return model.fullTextShare;
    },
    space: (signal) => model.space(signal),
    async embed(texts, kind, signal) {
      const [text] = texts;
      if (kind !== 'query' || texts.length !== 1 || text === undefined) return model.embed(texts, kind, signal);
      const key = `${model.name}\n${text}`;
      const known = pending.get(key);
      if (known !== undefined) {
        // The first caller may have aborted, which must not fail the others.
        return known.catch(() => model.embed(texts, kind, signal));
      }
      const asked = model.embed(texts, kind, signal);
      pending.set(key, asked);
      try {
        return await asked;
      } finally {
        pending.delete(key);
      }
    },
  };
}
