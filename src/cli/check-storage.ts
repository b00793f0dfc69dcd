import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIndex, vectorDatabase } from '../adapters/open-index.ts';
import { openOriginals, originalsSettings } from '../adapters/open-originals.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { nameOfPlace } from '../store/originals/s3/s3-settings.ts';
import type { VectorIndex } from '../store/vector-index.ts';
import { openUserCache } from '../user-cache.ts';
import type { Question } from './service-question.ts';

/** Stores a vector in a separate collection and finds it again; an embedded index is started in a temporary folder. */
export function indexQuestion(config: Config): Question {
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
export function originalsQuestions(config: Config): Question[] {
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
