import type { Listed } from '../../api/request.ts';
import type { ChunkRecord } from './source-data.ts';

/** Finds the chunk that contains an offset by binary search, since chunks are in text order. */
export async function findChunkAt(
  offset: number,
  { total, textLength }: { readonly total: number; readonly textLength: number },
  load: (page: { readonly offset: number; readonly limit: number }) => Promise<Listed<ChunkRecord>>,
): Promise<ChunkRecord | undefined> {
  let low = 0;
  let high = total;
  let best: ChunkRecord | undefined;
  for (let round = 0; low < high && round < MAX_ROUNDS; round++) {
    // Interpolation first: chunks have similar lengths, so the first guess is mostly right.
    const guess = round === 0 ? Math.floor((offset / Math.max(1, textLength)) * total) : (low + high) >> 1;
    const from = Math.max(low, Math.min(guess, high - 1) - CONTEXT_CHUNKS);
    const { items } = await load({ offset: from, limit: Math.min(2 * CONTEXT_CHUNKS + 1, high - from) });
    const [first, last] = [items[0], items.at(-1)];
    if (first === undefined || last === undefined) return best;
    if (offset < first.start) high = from;
    else {
      best = items.findLast(({ start, end }) => start <= offset && offset < end) ?? best;
      if (best !== undefined || offset < last.start) return best;
      low = from + items.length;
    }
  }
  return best;
}

const CONTEXT_CHUNKS = 5;
const MAX_ROUNDS = 20;
