import type { Chunk } from '../documents/chunk.ts';
import type { ChunkDifference } from './versions.ts';

type SplitChunk = Pick<Chunk, 'text' | 'headingPath' | 'order' | 'start' | 'end' | 'page'>;

/**
 * The chunks removed from one list and added in the other, in reading order: where both changed, removals come before
 * additions. A chunk that only moved counts as unchanged.
 */
export function diffChunks(
  before: readonly SplitChunk[],
  after: readonly SplitChunk[],
): { readonly unchanged: number; readonly differences: readonly ChunkDifference[] } {
  const isInAfter = matchEach(before, after);
  const isInBefore = matchEach(after, before);
  const differences: ChunkDifference[] = [];
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

/** Whether each of these chunks has an equal counterpart among the others; a counterpart is matched only once. */
function matchEach(chunks: readonly SplitChunk[], others: readonly SplitChunk[]): boolean[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(identify(other), (left.get(identify(other)) ?? 0) + 1);
  return chunks.map((chunk) => {
    const count = left.get(identify(chunk)) ?? 0;
    left.set(identify(chunk), count - 1);
    return count > 0;
  });
}

const identify = ({ text, headingPath }: SplitChunk): string => JSON.stringify([headingPath, text]);

function add(differences: ChunkDifference[], kind: ChunkDifference['kind'], chunk: SplitChunk | undefined): void {
  if (chunk === undefined) return;
  const { text, order, start, end, page, headingPath } = chunk;
  differences.push({ kind, text, order, start, end, page, headingPath });
}
