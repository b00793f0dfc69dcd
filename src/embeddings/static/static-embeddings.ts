import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { STATIC_EMBEDDING, STATIC_VERSION } from '../built-in-names.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import { packagedModel } from './static-model.ts';

/** Of `static-v1.bin`, which is read only when something is embedded. */
const DIMENSIONS = 256;
/** Tuned on one half of the test collections' questions (docs/quality.md). */
const FULL_TEXT_SHARE = 0.8;
const YIELD_EVERY = 32;

/** Embeddings by a model that the package contains: no key, no download, no training on the corpus. English. */
export function staticEmbeddings(): EmbeddingModel {
  return {
    name: STATIC_EMBEDDING,
    isLexical: true,
    isLearned: true,
    fullTextShare: FULL_TEXT_SHARE,
    space: async () => ({ embedder: STATIC_EMBEDDING, version: STATIC_VERSION, dimensions: DIMENSIONS }),
    async embed(texts, _kind, signal) {
      const model = await packagedModel();
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        if (signal?.aborted) throw new ServiceError('cancelled', 'Embedding was cancelled.', { cause: signal.reason });
        vectors.push(model.embed(text) ?? firstAxis());
        // Yields to other work between batches.
        if (vectors.length % YIELD_EVERY === 0) await setImmediate();
      }
      return vectors;
    },
  };
}

// A text without any known token is similar to no other in particular.
function firstAxis(): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[0] = 1;
  return vector;
}
