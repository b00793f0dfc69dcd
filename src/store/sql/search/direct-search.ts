import type { DirectReader } from '../sqlite/direct-reader.ts';
import { bestKeys } from './best-keys.ts';
import type { EarlyHits } from './early-search.ts';
import { packScores } from './packed-hits.ts';
import type { SinglePassAnswer, SinglePassQuery } from './single-pass-search.ts';

/**
 * Answers a search in the calling thread: for cosine distance without a filter, when nothing has been written since the
 * plan was made that the early hits were requested for. All hits are visible then, and their distances are known.
 * Undefined if the search needs another thread.
 */
export function searchDirectly(
  reader: DirectReader,
  { hits, plan: { plan, state }, length }: EarlyHits,
  { filter, measure, shown, alsoShown, limit }: Omit<SinglePassQuery, 'prefetched'>,
): SinglePassAnswer | undefined {
  if (state === undefined || filter !== null || measure !== 'cosine_distance') return undefined;
  const best = bestKeys(length);
  for (const { key, distance } of hits) best.offer(key, -distance);
  const ranked = best.take();
  // Nothing is read ahead: reading exactly the chunks of a fused ranking later takes less time here.
  const first = alsoShown ? [] : ranked.slice(0, Math.min(shown, limit, length)).map(({ key }) => key);
  const chunks = reader.readChunks(first, state);
  if (chunks === undefined || first.some((key) => !chunks.has(key))) return undefined;
  return { plan, list: { best: packScores(ranked), chunks, isExact: false } };
}
