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
  const placesByShingle = new Map<string, number[]>();
  for (const chunk of chunks) {
    const words = chunkWords(chunk.text);
    const shingles = shinglesOf(words);
    const signature = signatureOf(shingles);
    const candidates = [...new Set(signature.flatMap((shingle) => placesByShingle.get(shingle) ?? []))];
    const duplicate = candidates
      .sort((one, two) => one - two)
      .flatMap((place) => kept[place] ?? [])
      .find(
        (each) =>
          isNearInLength(each.words, words.length) &&
          jaccardSimilarity(each.shingles, shingles) >= MIN_DUPLICATE_SIMILARITY,
      );
    if (duplicate === undefined) {
      for (const shingle of signature) {
        const places = placesByShingle.get(shingle);
        if (places === undefined) placesByShingle.set(shingle, [kept.length]);
        else places.push(kept.length);
      }
      kept.push({ chunk, shingles, words: words.length });
      continue;
    }
    const also = { id: chunk.id, documentId: chunk.documentId };
    duplicate.chunk = { ...duplicate.chunk, alsoIn: [...(duplicate.chunk.alsoIn ?? []), also] };
    drop({ id: chunk.id, reason: 'duplicate', of: duplicate.chunk.id });
  }
  return kept.map(({ chunk }) => chunk);
}

/**
 * The first shingles in alphabetical order, as many as may be missing from a duplicate and one more: duplicates share at
 * least one of them, so that a chunk has to be compared with few others.
 */
function signatureOf(shingles: ReadonlySet<string>): string[] {
  // Rounding must not leave one out.
  const shared = Math.ceil(MIN_DUPLICATE_SIMILARITY * shingles.size - 1e-9);
  return [...shingles].sort().slice(0, shingles.size - shared + 1);
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
