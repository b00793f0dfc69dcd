import type { ScoredChunk } from '../documents/chunk.ts';
import { chunkWords, jaccardSimilarity } from './chunk-words.ts';
import type { DroppedHit } from './retriever.ts';

/** Jaccard similarity of word trigrams from which two chunks are duplicates. */
const MIN_DUPLICATE_SIMILARITY = 0.85;
const SHINGLE_LENGTH = 3;

/**
 * Folds near-duplicate chunks into the best one, which lists the others. Chunks that differ in one sentence out of ten,
 * or in a number in a short chunk, are not duplicates.
 */
export function foldDuplicates(chunks: readonly ScoredChunk[], drop: (drop: DroppedHit) => void): ScoredChunk[] {
  const kept: { chunk: ScoredChunk; readonly shingles: ReadonlySet<string>; readonly words: number }[] = [];
  for (const chunk of chunks) {
    const words = chunkWords(chunk.text);
    const shingles = shinglesOf(words);
    const duplicate = kept.find(
      (each) =>
        isNearInLength(each.words, words.length) &&
        jaccardSimilarity(each.shingles, shingles) >= MIN_DUPLICATE_SIMILARITY,
    );
    if (duplicate === undefined) {
      kept.push({ chunk, shingles, words: words.length });
      continue;
    }
    const also = { id: chunk.id, documentId: chunk.documentId };
    duplicate.chunk = { ...duplicate.chunk, alsoIn: [...(duplicate.chunk.alsoIn ?? []), also] };
    drop({ id: chunk.id, reason: 'duplicate', of: duplicate.chunk.id });
  }
  return kept.map(({ chunk }) => chunk);
}

const isNearInLength = (one: number, two: number): boolean =>
  Math.min(one, two) >= MIN_DUPLICATE_SIMILARITY * Math.max(one, two);

function shinglesOf(words: readonly string[]): ReadonlySet<string> {
  if (words.length <= SHINGLE_LENGTH) return new Set([words.join(' ')]);
  const shingles = new Set<string>();
  for (let at = 0; at + SHINGLE_LENGTH <= words.length; at++)
    shingles.add(words.slice(at, at + SHINGLE_LENGTH).join(' '));
  return shingles;
}
