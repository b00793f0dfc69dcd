import { sql } from 'kysely';
import type { NearestList } from '../../sql/search/packed-hits.ts';
import { codingOf } from '../../sql/vector-codes/coding-of.ts';
import { likelyKeys } from '../../sql/vector-codes/likely-keys.ts';
import type { CodesQuery } from '../../sql/vector-codes/nearest-by-codes.ts';
import type { CodesRead, CodesWanted } from '../../sql/vector-codes/read-codes.ts';
import { nearestAmong } from './nearest.ts';
import { resolveFilter } from './passing.ts';
import type { Reading } from './reading.ts';

/** Reads the codes after a key. Writers are serialised, so codes that are committed later have greater keys. */
export async function readCodes(reading: Reading, { space, after, limit }: CodesWanted): Promise<CodesRead> {
  // Aggregated to one value, which is faster than reading rows.
  const query = sql<{ keys: string | null; codes: Uint8Array | null; last: number | null }>`
    select string_agg(chunk_key::text, ',' order by key) as keys, string_agg(code, '' order by key) as codes,
      max(key) as last
    from (select key, chunk_key, code from vector_codes where space_key = ${space.key} and key > ${after}
      order by key limit ${limit}) as c`;
  const [found] = await reading.rows(query, 'prepared');
  const keys = Int32Array.from(found?.keys?.split(',').map(Number) ?? []);
  const codes = found?.codes ?? new Uint8Array(0);
  const { series } = reading.cache;
  const isWhole = codes.length === keys.length * codingOf(space.dimensions).bytes;
  if (!isWhole) return { keys: new Int32Array(0), codes: new Uint8Array(0), last: after, series, isEnd: true };
  return { keys, codes, last: found?.last ?? after, series, isEnd: keys.length < limit };
}

/** The best hits, by their stored vectors, among the chunks with the most similar codes. */
export async function nearestByCodes(reading: Reading, query: CodesQuery): Promise<NearestList> {
  const resolved = await resolveFilter(reading, query.filter);
  const passes = resolved?.has ?? (() => true);
  const likely = likelyKeys(codingOf(query.space.dimensions), { ...query, count: query.candidates, passes });
  return nearestAmong(reading, { ...query, hits: [], others: [...likely, ...query.others] });
}
