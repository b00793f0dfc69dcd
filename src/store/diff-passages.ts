import type { Chunk } from '../documents/chunk.ts';
import type { PassageDifference } from './versions.ts';

type Passage = Pick<Chunk, 'text' | 'headingPath' | 'order' | 'start' | 'end' | 'page'>;

/**
 * What was taken away from one list of passages and added for the other, in reading order: where both changed, what went
 * comes before what came. A passage that only moved counts as unchanged.
 */
export function diffPassages(
  before: readonly Passage[],
  after: readonly Passage[],
): { readonly unchanged: number; readonly differences: readonly PassageDifference[] } {
  const isInAfter = matchEach(before, after);
  const isInBefore = matchEach(after, before);
  const differences: PassageDifference[] = [];
  let one = 0;
  let two = 0;
  while (one < before.length || two < after.length) {
    for (; one < before.length && !isInAfter[one]; one++) add(differences, 'removed', before[one]);
    for (; two < after.length && !isInBefore[two]; two++) add(differences, 'added', after[two]);
    one++;
    two++;
  }
  return { unchanged: isInAfter.filter(Boolean).length, differences };
}

/** Which of these have one of their own among the others. */
function matchEach(passages: readonly Passage[], others: readonly Passage[]): boolean[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(identify(other), (left.get(identify(other)) ?? 0) + 1);
  return passages.map((passage) => {
    const count = left.get(identify(passage)) ?? 0;
    left.set(identify(passage), count - 1);
    return count > 0;
  });
}

const identify = ({ text, headingPath }: Passage): string => JSON.stringify([headingPath, text]);

function add(differences: PassageDifference[], kind: PassageDifference['kind'], passage: Passage | undefined): void {
  if (passage === undefined) return;
  const { text, order, start, end, page, headingPath } = passage;
  differences.push({ kind, text, order, start, end, page, headingPath });
}
