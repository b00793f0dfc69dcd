import type { ScoredChunk } from '../documents/chunk.ts';
import { chunkWords, jaccardSimilarity } from './chunk-words.ts';
import type { Drop } from './retriever.ts';

/** Jaccard similarity of word trigrams from which two chunks are duplicates. */
const MIN_DUPLICATE_SIMILARITY = 0.85;
const RUN = 3;

/**
 * Folds near-duplicate chunks: the best one stays and lists the others. Chunks with different words in one sentence out
 * of ten, or with a different number in a short one, are not duplicates.
 */
export function foldDuplicates(chunks: readonly ScoredChunk[], drop: (drop: Drop) => void): ScoredChunk[] {
  const kept: { chunk: ScoredChunk; readonly runs: ReadonlySet<string>; readonly words: number }[] = [];
  for (const chunk of chunks) {
    const words = chunkWords(chunk.text);
    const runs = runsOf(words);
    const duplicate = kept.find(
      (each) =>
        isNearInLength(each.words, words.length) && jaccardSimilarity(each.runs, runs) >= MIN_DUPLICATE_SIMILARITY,
    );
    if (duplicate === undefined) {
      kept.push({ chunk, runs, words: words.length });
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

function runsOf(words: readonly string[]): ReadonlySet<string> {
  if (words.length <= RUN) return new Set([words.join(' ')]);
  const runs = new Set<string>();
  for (let at = 0; at + RUN <= words.length; at++) runs.add(words.slice(at, at + RUN).join(' '));
  return runs;
}
