import type { ScoredChunk } from '../documents/chunk.ts';
import { overlap, passageWords } from './passage-words.ts';
import type { Drop } from './retriever.ts';

/** Of all the runs of three words in either, the share that both have; from here on they say the same. */
const SAME = 0.85;
const RUN = 3;

/**
 * Of passages that say the same in the same words, the best stays and names the others. Passages with other words in
 * one sentence out of ten, or with another number in a short one, are not the same.
 */
export function foldDuplicates(chunks: readonly ScoredChunk[], drop: (drop: Drop) => void): ScoredChunk[] {
  const kept: { chunk: ScoredChunk; readonly runs: ReadonlySet<string>; readonly words: number }[] = [];
  for (const chunk of chunks) {
    const words = passageWords(chunk.text);
    const runs = runsOf(words);
    const twin = kept.find((each) => isNearInLength(each.words, words.length) && overlap(each.runs, runs) >= SAME);
    if (twin === undefined) {
      kept.push({ chunk, runs, words: words.length });
      continue;
    }
    const also = { id: chunk.id, documentId: chunk.documentId };
    twin.chunk = { ...twin.chunk, alsoIn: [...(twin.chunk.alsoIn ?? []), also] };
    drop({ id: chunk.id, reason: 'duplicate', of: twin.chunk.id });
  }
  return kept.map(({ chunk }) => chunk);
}

const isNearInLength = (one: number, two: number): boolean => Math.min(one, two) >= SAME * Math.max(one, two);

function runsOf(words: readonly string[]): ReadonlySet<string> {
  if (words.length <= RUN) return new Set([words.join(' ')]);
  const runs = new Set<string>();
  for (let at = 0; at + RUN <= words.length; at++) runs.add(words.slice(at, at + RUN).join(' '));
  return runs;
}
