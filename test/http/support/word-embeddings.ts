import { createHash } from 'node:crypto';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';

const DIMENSIONS = 16;

/** Vectors of hashed words. */
export const wordEmbeddings: EmbeddingModel = {
  name: 'test/words',
  isLexical: true,
  space: async () => ({ embedder: 'test/words', version: '1', dimensions: DIMENSIONS }),
  embed: async (texts) => texts.map(embedWords),
};

function embedWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of wordsOf(text)) {
    const slot = createHash('sha1').update(word).digest().readUInt8(0) % DIMENSIONS;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
