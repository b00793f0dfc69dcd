import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openImageReader } from '../adapters/open-image-reader.ts';
import { openIndex, vectorDatabase } from '../adapters/open-index.ts';
import { openOriginals, originalsSettings } from '../adapters/open-originals.ts';
import { openReranker } from '../adapters/open-reranker.ts';
import { withLocalModel } from '../adapters/with-local-model.ts';
import type { Config } from '../config.ts';
import { createEmbeddingModel, defaultEmbeddingName } from '../embeddings/registry.ts';
import { ServiceError } from '../errors.ts';
import { createPreparationWorkers } from '../ingest/prepare-in-worker.ts';
import { createTranscriber } from '../models/create-transcriber.ts';
import { localProviders } from '../models/model-choices.ts';
import { createModelRegistry, type ModelSettings } from '../models/registry.ts';
import { nameOfPlace } from '../store/originals/s3/s3-settings.ts';
import type { VectorIndex } from '../store/vector-index.ts';
import { openUserCache } from '../user-cache.ts';
import { createWebSearch } from '../web/create-web-search.ts';
import { enginesOf } from '../web/web-settings.ts';
import type { Finding } from './doctor-checks.ts';
import { modelsFolderOf } from './models.ts';

/** A test request to a configured model or service; `ask` returns a short description of the answer. */
interface Question {
  readonly name: string;
  /** Name of the model or service. */
  readonly subject: string;
  /** The environment variable to correct if there is no answer. */
  readonly variable: string;
  ask(signal: AbortSignal): Promise<string>;
}

/** A model may have to be loaded first. */
const LIMIT_MS = 60_000;
const MAX_SHOWN = 60;
const QUESTION = 'When does the ferry leave?';
const PASSAGES = ['The ferry leaves at nine in the morning.', 'The museum is closed on Mondays.'];
/** Enough for models that think before they answer. */
const MAX_TOKENS = 1_000;

/**
 * Sends one small request each to every configured model, embedder, reranker, search service, image reader and storage,
 * and to the index, and measures the time. Local models are measured by `checkLocalModels`.
 */
export async function checkServices(given: Config): Promise<Finding[]> {
  const { config } = await withLocalModel(given);
  const questions = [
    ...modelQuestions(config),
    ...embeddingQuestions(config),
    ...rerankerQuestions(config),
    ...searchQuestions(config),
    ...pictureQuestions(config),
    ...recordingQuestions(config),
    indexQuestion(config),
    ...originalsQuestions(config),
  ];
  return Promise.all(questions.map(findingOf));
}

async function findingOf({ name, subject, variable, ask }: Question): Promise<Finding> {
  const start = performance.now();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const spent = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const answer = await ask(signal);
    return { name, state: 'ok', detail: `${subject} answered in ${spent()}: ${answer}` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = signal.aborted ? `no answer within ${LIMIT_MS / 1000} s` : error.message;
    const fix = `Correct or remove ${variable}, or start what it names.`;
    return { name, state: 'wrong', detail: `${subject} did not answer (${spent()}): ${reason}`, fix };
  }
}

/** Creates the models without the fallback, which would hide the failure of another model. */
const registryOf = (config: Config) => {
  const { fallback: _, ...models } = config.models;
  const settings: ModelSettings = {
    ...config,
    models,
    concurrency: config.modelStreams,
    local: localProviders(config),
  };
  return createModelRegistry(settings);
};

function modelQuestions(config: Config): Question[] {
  const registry = registryOf(config);
  const named = [
    ['CITEWELL_MODEL', registry.defaultName('quality')],
    ['CITEWELL_FAST_MODEL', registry.defaultName('fast')],
    ['CITEWELL_REASONING_MODEL', registry.defaultName('reasoning')],
    ['CITEWELL_FALLBACK_MODEL', config.models.fallback],
    ['CITEWELL_GRAPH_MODEL', config.graph.model],
  ] as const;
  const variables = new Map<string, string>();
  for (const [variable, name] of named) {
    if (name === undefined || name.startsWith('builtin/')) continue;
    const known = variables.get(name);
    variables.set(name, known === undefined ? variable : `${known}, ${variable}`);
  }
  return [...variables].map(([subject, variable]) => ({
    name: 'Model',
    subject,
    variable: `${variable}, or the key or address of its provider`,
    ask: async (signal) => {
      let text = '';
      const request = { tools: [], config: { maxTokens: MAX_TOKENS }, signal } as const;
      const content = `Answer in one short sentence. ${PASSAGES[0]} ${QUESTION}`;
      const messages = [{ role: 'user', text: content }] as const;
      for await (const event of registry.resolve(subject, 'fast').stream({ ...request, messages })) {
        if (event.type === 'text') text += event.text;
      }
      if (text.trim() === '') throw new ServiceError('provider_failed', 'the answer is empty');
      return shown(text);
    },
  }));
}

function embeddingQuestions(config: Config): Question[] {
  const subject = config.embeddingModel ?? defaultEmbeddingName(config);
  if (/^(builtin|local)\//.test(subject)) return [];
  return [
    {
      name: 'Embeddings',
      subject,
      variable: 'CITEWELL_EMBEDDING_MODEL, or the key or address of its provider',
      ask: async (signal) => {
        const settings = { ...config, modelsFolder: modelsFolderOf(config), local: localProviders(config) };
        const model = createEmbeddingModel(subject, settings);
        const [vector] = await model.embed([QUESTION], 'query', signal);
        return `${vector?.length ?? 0} dimensions`;
      },
    },
  ];
}

function rerankerQuestions(config: Config): Question[] {
  const settings = config.reranker;
  if (settings === undefined || settings.name.startsWith('local/')) return [];
  return [
    {
      name: 'Reranker',
      subject: settings.name,
      variable: 'CITEWELL_RERANKER, or the key or address of its provider',
      ask: async (signal) => {
        const parts = { settings, models: registryOf(config), modelsFolder: modelsFolderOf(config) };
        const reranker = openReranker(parts);
        // Language models that rerank are asked as models.
        if (reranker === undefined || 'model' in reranker) return 'a language model';
        const ranked = await reranker.rank({ query: QUESTION, texts: PASSAGES }, signal);
        const [best] = ranked.toSorted((one, other) => other.score - one.score);
        if (best?.index === 0) return 'the right passage first';
        throw new ServiceError('provider_failed', 'it did not rank the answering passage first');
      },
    },
  ];
}

const searchQuestions = ({ web }: Config): Question[] =>
  enginesOf(web).map((engine) => ({
    name: 'Web search',
    subject: engine.name,
    variable: engine.name === 'searxng' ? 'SEARXNG_URL' : `${engine.name.toUpperCase()}_API_KEY`,
    ask: async (signal) => {
      const search = createWebSearch({ engines: [engine] });
      try {
        const query = { text: 'weather', limit: 1, includeDomains: [], excludeDomains: [] };
        const { results } = await search.search(query, signal);
        return results[0] === undefined ? 'no result' : shown(results[0].title);
      } finally {
        await search.close();
      }
    },
  }));

/** A WAV file with one second of silence, in which most models recognise no speech. */
function silence(): Uint8Array {
  const rate = 8_000;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + 2 * rate, 4);
  header.write('WAVEfmt ', 8);
  // Size of the format chunk, then PCM, one channel, sample rate, byte rate, bytes per frame, bits per sample.
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(2 * rate, 40);
  return Buffer.concat([header, Buffer.alloc(2 * rate)]);
}

function recordingQuestions(config: Config): Question[] {
  const { transcriber: subject } = config;
  if (subject === undefined) return [];
  return [
    {
      name: 'Recordings',
      subject,
      variable: 'CITEWELL_TRANSCRIBER, or the key or address of its provider',
      ask: async (signal) => {
        const recording = { bytes: silence(), fileName: 'silence.wav', mediaType: 'audio/wav' };
        const { text } = await createTranscriber(subject, config).transcribe(recording, signal);
        return text.trim() === '' ? 'nothing in a second of silence' : `"${shown(text)}" in a second of silence`;
      },
    },
  ];
}

/** The word FERRY in black on white. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAKoAAAA4AQAAAABFo15nAAAAxElEQVR42u3TMY7DIBAF0L9yQckROMrcLC5ccC0TLoK1F6B0MeInIXEUYyJtlyJL' +
  '+Qrm80eAvTPjy3nGkAHih4qBkbQbJ6AAToExsDRsFXCB6vZsFLCJKpUjuZDFcVApNnNtOKrQ5HEd9xyu7FfJ7LBKanip7JYeFxe6bCOPSTyN77Cl' +
  'N09Olf3tOZzs1qB96YTnlmuDTK7DwiS7kdslWZokpo5cx4anGvDA8T37D/O9wd8DA6fHdvo8HTmpMDz5/3P/jS/0oQ9YN1WDHQAAAABJRU5ErkJggg==';

function pictureQuestions(config: Config): Question[] {
  const { reader } = config.images;
  if (reader === 'off') return [];
  return [
    {
      name: 'Pictures',
      subject: reader,
      variable: 'CITEWELL_READ_IMAGES',
      ask: async (signal) => {
        const cache = openUserCache(config.cacheDir);
        const imageReader = openImageReader(config.images, { models: registryOf(config), cacheFolder: cache.path });
        const readers = createPreparationWorkers({ imageReader });
        try {
          const bytes = new Uint8Array(Buffer.from(PICTURE, 'base64'));
          const file = { bytes, fileName: 'ferry.png', type: 'png', content: { kind: 'file' } } as const;
          const { text } = await readers.prepare({ ...file, split: {}, skipSummary: true }, signal);
          if (/ferry/i.test(text)) return `read "${shown(text)}"`;
          throw new ServiceError('provider_failed', `it read "${shown(text)}" where "FERRY" is written`);
        } finally {
          await readers.close();
          cache.close();
        }
      },
    },
  ];
}

/** Stores a vector in a separate collection and finds it again; an embedded index is started in a temporary folder. */
function indexQuestion(config: Config): Question {
  return {
    name: 'Index',
    ...indexNames(config),
    ask: async (signal) => {
      const folder = await mkdtemp(join(tmpdir(), 'citewell-doctor-'));
      const cache = openUserCache(config.cacheDir);
      const log = { info: () => {}, warn: () => {}, error: () => {} };
      let index: VectorIndex | undefined;
      try {
        index = await openIndex(config, { folder, cacheFolder: cache.path, log });
        const name = `doctor_${process.pid}`;
        const collection = await index.open(name, 2);
        try {
          await collection.upsert([
            { key: 1, vector: Float32Array.of(1, 0) },
            { key: 2, vector: Float32Array.of(0, 1) },
          ]);
          const [nearest] = await collection.nearest(Float32Array.of(0.1, 0.9), 1, signal);
          if (nearest?.key !== 2) throw new ServiceError('store_failed', 'it did not find the nearest vector');
        } finally {
          await index.drop(name);
        }
        return 'a stored vector was found';
      } finally {
        await index?.close();
        cache.close();
        await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
      }
    },
  };
}

/** Writes, reads and removes an object in the storage of the uploaded files. */
function originalsQuestions(config: Config): Question[] {
  const settings = originalsSettings(config);
  if (settings === undefined) return [];
  return [
    {
      name: 'Originals',
      subject: nameOfPlace(settings),
      variable: 'CITEWELL_ORIGINALS, CITEWELL_ORIGINALS_ENDPOINT, CITEWELL_ORIGINALS_REGION or the AWS_… key',
      ask: async (signal) => {
        const objects = await openOriginals(config);
        const object = `doctor-${process.pid}`;
        const written = Buffer.from(`written by "citewell doctor" at ${new Date().toISOString()}`);
        await objects?.put(object, written, signal);
        try {
          const pieces = await objects?.get(object, { signal });
          const read = Buffer.concat(pieces === undefined ? [] : await Array.fromAsync(pieces));
          if (!read.equals(written)) throw new ServiceError('store_failed', 'the bytes read differ from those stored');
        } finally {
          await objects?.remove(object, signal);
        }
        return 'an object was stored, read and removed';
      },
    },
  ];
}

function indexNames(config: Config): Pick<Question, 'subject' | 'variable'> {
  if (vectorDatabase(config) !== undefined) {
    return { subject: 'pgvector', variable: 'CITEWELL_VECTOR_INDEX or CITEWELL_DATABASE_URL' };
  }
  if (config.chroma === undefined) {
    return { subject: 'the embedded Chroma', variable: 'the installation of chromadb' };
  }
  return { subject: config.chroma.url, variable: 'CHROMA_URL, CHROMA_API_KEY, CHROMA_TENANT or CHROMA_DATABASE' };
}

const shown = (text: string): string => {
  const line = text.replaceAll(/\p{C}+|\s+/gu, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
};
