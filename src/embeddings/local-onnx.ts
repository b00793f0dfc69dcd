import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { VectorSpaceName } from '../store/vector-index.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { modelCard } from './model-card.ts';
import { unitVector } from './unit-vector.ts';

export interface LocalEmbeddingOptions {
  /** A folder in the layout of the Hugging Face hub (`config.json`, `tokenizer.json`, `onnx/`), or a hub model id. */
  readonly model: string;
  /** Cache folder for hub models. */
  readonly cacheDir: string;
}

const PACKAGE = '@huggingface/transformers';

// Small, so that a long ingestion lets other work run in between.
const BATCH_SIZE = 16;

/**
 * An embedding model that runs in this process. Loaded on first use. Needs the optional package
 * @huggingface/transformers, and once the network for a hub model.
 */
export function localOnnx({ model, cacheDir }: LocalEmbeddingOptions): EmbeddingModel {
  const name = `local/${model}`;
  const { prefixes, pooling } = modelCard(model);
  // One inference at a time, since each uses all cores.
  const oneByOne = pLimit(1);
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    // A failure is not cached: the package may be installed, or the network recover, while the service runs.
    loading ??= loadModel(model, cacheDir).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  const embed: EmbeddingModel['embed'] = async (texts, kind, signal) => {
    const { extract } = await load();
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += BATCH_SIZE) {
      const batch = texts.slice(start, start + BATCH_SIZE).map((text) => `${prefixes[kind]}${text}`);
      const tensor = await oneByOne(() => {
        if (signal?.aborted) throw new ServiceError('cancelled', 'The request was cancelled.');
        return extract(batch, { pooling, normalize: false });
      });
      vectors.push(...rows(tensor, batch.length, name));
    }
    return vectors;
  };

  let space: VectorSpaceName | undefined;
  return {
    name,
    isLexical: false,
    async space(signal) {
      if (space === undefined) {
        const [probe] = await embed(['dimension'], 'passage', signal);
        space = { embedder: name, version: (await load()).version, dimensions: probe?.length ?? 0 };
      }
      return space;
    },
    embed,
  };
}

/** The used part of the optional package's API, declared here because its types may not be installed. */
interface Transformers {
  readonly env: { cacheDir: string | null; logLevel: number };
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>;
}

interface Extractor {
  (texts: readonly string[], options: { readonly pooling: string; readonly normalize: boolean }): Promise<Tensor>;
  readonly tokenizer: { readonly model_max_length?: number };
  readonly model: { readonly config?: { readonly max_position_embeddings?: number } };
}

interface Tensor {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

interface Loaded {
  readonly extract: Extractor;
  readonly version: string;
}

async function loadModel(model: string, cacheDir: string): Promise<Loaded> {
  const folder = findFolder(model);
  const { pipeline, env } = await importTransformers();
  env.cacheDir = cacheDir;
  env.logLevel = ERRORS_ONLY;
  try {
    const extract = await pipeline('feature-extraction', folder ?? model, {
      dtype: folder === undefined ? 'fp32' : storedPrecision(folder),
      local_files_only: folder !== undefined,
    });
    limitLength(extract);
    return { extract, version: await hashModel(folder ?? join(cacheDir, model)) };
  } catch (error) {
    const where = folder === undefined ? `from the Hugging Face hub or ${cacheDir}` : `from ${folder}`;
    throw new ServiceError(
      'provider_failed',
      `The local embedding model "${model}" could not be loaded ${where}. It needs config.json, tokenizer.json and onnx/model.onnx.`,
      { cause: error },
    );
  }
}

const ERRORS_ONLY = 40;

async function importTransformers(): Promise<Transformers> {
  if (!isInstalled()) {
    throw new ServiceError(
      'not_configured',
      `Local embedding models need the package ${PACKAGE}, which is not installed. Run: npm install ${PACKAGE}`,
    );
  }
  try {
    // Through a variable, so that the compiler does not resolve the optional package.
    const name: string = PACKAGE;
    return (await import(name)) as Transformers;
  } catch (error) {
    throw new ServiceError(
      'not_configured',
      `The package ${PACKAGE} is installed but cannot be loaded on this machine. Choose another CITEWELL_EMBEDDING_MODEL, or reinstall it.`,
      { cause: error },
    );
  }
}

function isInstalled(): boolean {
  try {
    return findPackageJSON(PACKAGE, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** The folder a name refers to; undefined when it is a hub id. */
function findFolder(model: string): string | undefined {
  const folder = resolve(model);
  if (existsSync(join(folder, 'config.json'))) return folder;
  if (!/^[.~/\\]|^[a-z]:/i.test(model)) return undefined;
  throw new ServiceError(
    'not_configured',
    `There is no embedding model in ${folder}: config.json is missing. Check CITEWELL_EMBEDDING_MODEL.`,
  );
}

/** The most exact precision for which a model file exists. */
function storedPrecision(folder: string): string {
  const files = new Set(existsSync(join(folder, 'onnx')) ? readdirSync(join(folder, 'onnx')) : []);
  const found = PRECISIONS.find(([file]) => files.has(file));
  return found?.[1] ?? 'fp32';
}

const PRECISIONS = [
  ['model.onnx', 'fp32'],
  ['model_fp16.onnx', 'fp16'],
  ['model_quantized.onnx', 'q8'],
  ['model_int8.onnx', 'int8'],
  ['model_uint8.onnx', 'uint8'],
  ['model_q4.onnx', 'q4'],
] as const;

// Without this limit a tokenizer might pass longer texts, on which the model fails.
function limitLength({ tokenizer, model }: Extractor): void {
  const limit = model.config?.max_position_embeddings;
  if (limit !== undefined && !((tokenizer.model_max_length ?? Number.POSITIVE_INFINITY) <= limit)) {
    // Defined on the tokenizer itself, because its class has only a getter.
    Object.defineProperty(tokenizer, 'model_max_length', { value: limit });
  }
}

/** A hash that changes with any file that affects vectors. */
async function hashModel(folder: string): Promise<string> {
  const onnx = join(folder, 'onnx');
  const weights = existsSync(onnx) ? readdirSync(onnx).toSorted() : [];
  const files = [...weights.map((file) => join('onnx', file)), 'tokenizer.json', 'tokenizer_config.json'];
  const hash = createHash('sha256');
  for (const file of files) {
    if (!existsSync(join(folder, file))) continue;
    hash.update(`\0${file.replaceAll('\\', '/')}\0`);
    for await (const piece of createReadStream(join(folder, file))) hash.update(piece);
  }
  return hash.digest('hex').slice(0, 16);
}

function rows({ data, dims }: Tensor, count: number, name: string): Float32Array[] {
  const width = dims.at(-1) ?? 0;
  return Array.from({ length: count }, (_, row) => {
    const vector = unitVector(Array.prototype.slice.call(data, row * width, (row + 1) * width));
    if (vector !== undefined && width > 0) return vector;
    throw new ServiceError('provider_failed', `The embedding model "${name}" gave a text no direction.`);
  });
}
