import { ServiceError } from '../../errors.ts';
import { findModelFolder, modelVersion, readModelFolder } from '../../local-models/model-folder.ts';
import { lazyResult } from '../../shared/lazy-result.ts';
import { STATIC_EMBEDDING, STATIC_VERSION } from '../built-in-names.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import { yieldPeriodically } from '../yield-periodically.ts';
import { readModel2Vec } from './model2vec.ts';
import { packagedModel, type StaticModel } from './static-model.ts';

/** Dimensions of `static-v1.bin`; constant, because the file is read only when something is embedded. */
const DIMENSIONS = 256;
/** Tuned on one half of the test collections' questions (docs/quality.md). */
const FULL_TEXT_SHARE = 0.8;

/** Embeddings by the model shipped with this package (English): no API key, download or training needed. */
export const staticEmbeddings = (): EmbeddingModel =>
  fromTokenVectors({
    name: STATIC_EMBEDDING,
    space: async () => ({ embedder: STATIC_EMBEDDING, version: STATIC_VERSION, dimensions: DIMENSIONS }),
    load: packagedModel,
  });

export interface LocalStaticOptions {
  /** The name of an installed model in the format of Model2Vec, or its folder. */
  readonly model: string;
  readonly modelsFolder: string;
}

/** Embeddings by an installed model of token vectors, or one in a folder; read on first use. */
export function localStatic({ model, modelsFolder }: LocalStaticOptions): EmbeddingModel {
  const name = `local/${model}`;
  // Loaded together and cached: the version must match the vectors in memory even if the files are replaced, and takes
  // seconds to compute.
  const load = lazyResult(async () => {
    const folder = await readModelFolder(findModelFolder(model, modelsFolder));
    return { version: await modelVersion(folder), vectors: await readModel2Vec(folder) };
  });
  return fromTokenVectors({
    name,
    async space() {
      const { version, vectors } = await load();
      return { embedder: name, version, dimensions: vectors.dimensions };
    },
    load: async () => (await load()).vectors,
  });
}

interface TokenVectorParts extends Pick<EmbeddingModel, 'name' | 'space'> {
  readonly load: () => Promise<StaticModel>;
}

const fromTokenVectors = ({ name, space, load }: TokenVectorParts): EmbeddingModel => ({
  name,
  isLexical: true,
  isLearned: true,
  fullTextShare: FULL_TEXT_SHARE,
  preload: async () => void (await load()),
  space,
  async embed(texts, _kind, signal) {
    const model = await load();
    const vectors: Float32Array[] = [];
    const pause = yieldPeriodically();
    for (const text of texts) {
      if (signal?.aborted) throw new ServiceError('cancelled', 'Embedding was cancelled.', { cause: signal.reason });
      vectors.push(model.embed(text) ?? firstAxis(model));
      await pause(text);
    }
    return vectors;
  },
});

// The vector of a text without any known token.
function firstAxis({ dimensions }: StaticModel): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = 1;
  return vector;
}
