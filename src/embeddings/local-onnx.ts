import { ServiceError } from '../errors.ts';
import { openInference } from '../local-models/inference.ts';
import type { VectorSpaceName } from '../store/vector-index.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { modelCard } from './model-card.ts';
import { unitVector } from './unit-vector.ts';

export interface LocalEmbeddingOptions {
  /** The name of an installed model, or a folder in the layout of the Hugging Face hub. */
  readonly model: string;
  /** Folder of installed models. */
  readonly modelsFolder: string;
}

// Small, so that queries are embedded between the batches of a long ingestion.
const BATCH_SIZE = 16;

/** An embedding model that runs locally in a separate thread. Loaded on first use. */
export function localOnnx({ model, modelsFolder }: LocalEmbeddingOptions): EmbeddingModel {
  const name = `local/${model}`;
  const { prefixes, pooling, fullTextShare } = modelCard(model);
  const inference = openInference({ model, modelsFolder });

  const embed: EmbeddingModel['embed'] = async (texts, kind, signal) => {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += BATCH_SIZE) {
      const batch = texts.slice(start, start + BATCH_SIZE).map((text) => `${prefixes[kind]}${text}`);
      for (const raw of await inference.embed(batch, pooling, signal)) {
        const vector = unitVector(Array.from(raw));
        if (vector !== undefined && vector.length > 0) vectors.push(vector);
        else throw new ServiceError('provider_failed', `The embedding model "${name}" gave a text no direction.`);
      }
    }
    return vectors;
  };

  let space: VectorSpaceName | undefined;
  return {
    name,
    isLexical: false,
    isSmall: true,
    fullTextShare,
    async space(signal) {
      if (space === undefined) {
        const version = await inference.version();
        const [probe] = await embed(['dimension'], 'passage', signal);
        space = { embedder: name, version, dimensions: probe?.length ?? 0 };
      }
      return space;
    },
    embed,
  };
}
