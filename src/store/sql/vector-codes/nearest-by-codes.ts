import { type NearestQuery, nearestAmong, passesFilter } from '../search/nearest-chunks.ts';
import type { NearestList } from '../search/packed-hits.ts';
import type { Reading } from '../search/read-snapshot.ts';
import { codingOf } from './coding-of.ts';
import { likelyKeys } from './likely-keys.ts';
import type { CodeSegment } from './loaded-codes.ts';

export interface CodesQuery extends NearestQuery {
  readonly segments: readonly CodeSegment[];
  /** Chunks that have no codes and are compared as well. */
  readonly others: readonly number[];
  /** From `countCandidates`. */
  readonly candidates: number;
}

/** The best hits by stored vector among the chunks whose codes are the most similar to the query's. */
export function nearestByCodes(reading: Reading, query: CodesQuery): NearestList {
  const passes = passesFilter(reading, query.filter);
  const likely = likelyKeys(codingOf(query.space.dimensions), { ...query, count: query.candidates, passes });
  return nearestAmong(reading, { ...query, hits: [], others: [...likely, ...query.others] });
}
