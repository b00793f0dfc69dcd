import type { Config } from '../config.ts';
import { createEmbeddingModel } from '../embeddings/registry.ts';
import { ServiceError } from '../errors.ts';
import { catalogModel } from '../local-models/catalog.ts';
import { localReranker } from '../retrieval/rerankers/local-reranker.ts';
import type { Finding } from './doctor-checks.ts';
import { modelsFolderOf } from './models.ts';

const LOCAL = 'local/';
const SAMPLE_CHUNKS = 4;
/** Roughly the size of a chunk. */
export const SAMPLE_LENGTH = 1_000;

const sample = (at: number): string =>
  `${at}. The ferry leaves the harbour at dawn and returns with the evening tide, carrying mail, bread and passengers. `
    .repeat(10)
    .slice(0, SAMPLE_LENGTH);

const samples = Array.from({ length: SAMPLE_CHUNKS }, (_, at) => sample(at));

/** Uses each configured local model once and reports its speed. */
export async function checkLocalModels(config: Config): Promise<Finding[]> {
  const { embeddingModel, reranker } = config;
  return [
    ...(embeddingModel?.startsWith(LOCAL)
      ? [await check('Embeddings', embeddingModel, () => embeddingSpeed(config, embeddingModel))]
      : []),
    ...(reranker?.name.startsWith(LOCAL)
      ? [await check('Reranker', reranker.name, () => rerankingSpeed(config, reranker.name))]
      : []),
  ];
}

/** Measures how many chunks per second a local model embeds on this machine. Throws if the model cannot be used. */
export async function embeddingSpeed(config: Config, name: string): Promise<number> {
  const model = createEmbeddingModel(name, { ...config, modelsFolder: modelsFolderOf(config) });
  // Loads the model, so that loading is not measured.
  await model.space();
  return perSecond(() => model.embed(samples, 'passage'));
}

async function rerankingSpeed(config: Config, name: string): Promise<number> {
  const reranker = localReranker({ model: name.slice(LOCAL.length), modelsFolder: modelsFolderOf(config) });
  const { signal } = new AbortController();
  const rank = (texts: readonly string[]) => reranker.rank({ query: 'When does the ferry leave?', texts }, signal);
  await rank(samples.slice(0, 1));
  return perSecond(() => rank(samples));
}

async function perSecond(use: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await use();
  return (SAMPLE_CHUNKS * 1_000) / (performance.now() - start);
}

async function check(name: string, model: string, speedOf: () => Promise<number>): Promise<Finding> {
  try {
    const speed = await speedOf();
    return {
      name,
      state: 'ok',
      detail: `${model}: ${speed.toFixed(1)} chunks of ${SAMPLE_LENGTH} characters a second`,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const local = model.slice(LOCAL.length);
    const isKnown = catalogModel(local) !== undefined || local.includes('/');
    const fix = isKnown ? `Run: citewell models install ${local}` : 'Name one of those of "citewell models list".';
    return { name, state: 'wrong', detail: `${model}: ${error.message}`, fix };
  }
}
