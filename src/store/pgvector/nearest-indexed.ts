import { type RawBuilder, sql } from 'kysely';
import { numbers } from '../postgres/array-values.ts';
import { loadRanked, type RankedRow } from '../postgres/search/load-chunks.ts';
import { nearestInMemory, nearestOf } from '../postgres/search/nearest.ts';
import { passes, resolveFilter, VISIBLE } from '../postgres/search/passing.ts';
import type { Reading } from '../postgres/search/reading.ts';
import type { IndexedQuery } from '../sql/search/nearest-indexed.ts';
import type { NearestList } from '../sql/search/packed-hits.ts';
import { graphIn } from './known-graphs.ts';
import { distanceTo, graphSettings, hasDirection, tableOf } from './vector-tables.ts';

/** The nearest chunks, from the collection's table or, if few chunks pass the filter, in memory. */
export async function nearestIndexed(reading: Reading, query: IndexedQuery): Promise<NearestList> {
  const { scan } = query;
  if (scan.kind === 'graph') {
    const list = await throughGraph(reading, query, scan.expected);
    if (list !== undefined) return list;
  }
  return (await nearestInMemory(reading, query)) ?? (await compareAll(reading, query));
}

/** Filters and ranks in one statement, which scans the HNSW graph in order of distance. */
async function throughGraph(reading: Reading, query: IndexedQuery, expected: number): Promise<NearestList | undefined> {
  const { space, vector, limit, shown, filter } = query;
  const graph = hasDirection(vector) ? await graphIn(reading, space) : undefined;
  if (graph === undefined) return undefined;
  const ranking = sql<RankedRow>`
    select c.key, ${distanceTo(vector, 't')} as distance
    from ${sql.table(tableOf(space.collection))} t join chunks c on c.key = t.key
      join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0
    where ${passes(filter)} order by ${graph.vector('t')} <=> ${graph.query(vector)} limit ${limit}`;
  const { hits, chunks } = await loadRanked(reading, {
    ranking,
    shown,
    how: filter === null ? 'prepared' : 'once',
    settings: graphSettings({ limit, expected }),
  });
  return nearestOf(reading, query, hits, chunks);
}

const COMPARING = { jit: 'off' } as const;

async function compareAll(reading: Reading, query: IndexedQuery): Promise<NearestList> {
  const { space, vector, limit, shown, filter } = query;
  const table = sql`${sql.table(tableOf(space.collection))} t`;
  const resolved = await resolveFilter(reading, filter);
  const from: RawBuilder<unknown> =
    resolved === undefined
      ? sql`${VISIBLE} join ${table} on t.key = c.key`
      : sql`${table} where t.key in ${numbers(resolved.keys)}`;
  const ranking = sql<RankedRow>`
    select t.key, ${distanceTo(vector, 't')} as distance from ${from} order by 2, 1 limit ${limit}`;
  const isPast = filter?.past !== undefined;
  const { hits, chunks } = await loadRanked(reading, {
    ranking,
    // For a search of the past, the chunks are loaded separately, in their state at that time.
    shown: isPast ? 0 : shown,
    // Planned anew each time, because the best plan depends on the number of keys.
    how: resolved === undefined ? 'prepared' : 'once',
    settings: COMPARING,
  });
  return nearestOf(reading, query, hits, chunks);
}
