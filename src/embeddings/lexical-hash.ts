import { ServiceError } from '../errors.ts';
import { EMBEDDED_TERMS_VERSION } from '../store/full-text/analyse.ts';
import { countTerms } from './count-terms.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { unitVector } from './unit-vector.ts';
import { yieldPeriodically } from './yield-periodically.ts';

/** Measured over 384, 512, 768 and 1,024: larger sizes do not justify their storage (docs/decisions.md). */
const DIMENSIONS = 768;
const HASHING_VERSION = 1;

/**
 * Embeddings without a model: feature hashing of a text's words. Deterministic, free and instant. Texts are similar
 * when they share words, word forms or, through character trigrams, spelling; meaning is not represented.
 */
export function createLexicalHash(): EmbeddingModel {
  const name = 'builtin/lexical-hash-v1';
  return {
    name,
    isLexical: true,
    space: async () => ({
      embedder: name,
      version: `${HASHING_VERSION}.${EMBEDDED_TERMS_VERSION}`,
      dimensions: DIMENSIONS,
    }),
    async embed(texts, _kind, signal) {
      const vectors: Float32Array[] = [];
      const pause = yieldPeriodically();
      for (const text of texts) {
        if (signal?.aborted) throw new ServiceError('cancelled', 'Embedding was cancelled.', { cause: signal.reason });
        vectors.push(hashText(text));
        await pause(text);
      }
      return vectors;
    },
  };
}

function hashText(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, weight] of featuresOf(text)) {
    const hash = hashOf(feature);
    const place = hash % DIMENSIONS;
    // Signed hashing, so that colliding features tend to cancel out rather than add up.
    vector[place] = (vector[place] ?? 0) + (hash >>> 31 ? -weight : weight);
  }
  return unitVector(vector) ?? emptyTextVector();
}

// The vector of an empty text, in a direction that no other text has.
function emptyTextVector(): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[DIMENSIONS - 1] = 1;
  return vector;
}

function featuresOf(text: string): Map<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number) => features.set(feature, (features.get(feature) ?? 0) + weight);
  for (const [term, count] of countTerms(text)) {
    const weight = 1 + Math.log(count);
    add(term, weight);
    const trigrams = trigramsOf(term);
    // All trigrams of a word together weigh as much as the word.
    for (const trigram of trigrams) add(trigram, weight / Math.sqrt(trigrams.length));
  }
  return features;
}

function trigramsOf(term: string): string[] {
  if (!/^[\p{L}\p{M}]{4,}$/u.test(term)) return [];
  const characters = ['^', ...term, '$'];
  return Array.from({ length: characters.length - 2 }, (_, at) => `#${characters.slice(at, at + 3).join('')}`);
}

// FNV-1a with MurmurHash3's finaliser, which spreads the last characters over all bits.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
