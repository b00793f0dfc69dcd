import { type RawBuilder, sql } from 'kysely';
import { numbers } from '../postgres/array-values.ts';
import { nearestOf } from '../postgres/search/nearest.ts';
import { passes, resolveFilter, VISIBLE } from '../postgres/search/passing.ts';
import type { Reading } from '../postgres/search/reading.ts';
import type { NearestList } from '../sql/search/nearest-chunks.ts';
import type { IndexedQuery } from '../sql/search/nearest-indexed.ts';
import type { VectorHit } from '../vector-index.ts';
import { distanceTo, graphOf, graphSettings, hasDirection, tableOf } from './vector-tables.ts';

/** Filter and ranking in one statement, which joins the collection's table with the chunks that pass. */
export async function nearestIndexed(reading: Reading, query: IndexedQuery): Promise<NearestList> {
  const { scan, space, vector, limit } = query;
  const database = await reading.transaction();
  const graph = scan.kind === 'graph' && hasDirection(vector) ? graphOf(space.dimensions) : undefined;
  const from = sql`${sql.table(tableOf(space.collection))} t`;
  const where = await conditionOf(reading, query);
  if (scan.kind === 'graph' && graph !== undefined) {
    const ranked = sql<VectorHit>`
      select c.key, ${distanceTo(vector, 't')} as distance
      from ${from} join chunks c on c.key = t.key
        join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0
      where ${where} order by ${graph.vector('t')} <=> ${graph.query(vector)} limit ${limit}`;
    // Sent together: the connection is pipelined, and answers in their order.
    const settings = graphSettings({ limit, expected: scan.expected }).execute(database);
    const [{ rows }] = await Promise.all([ranked.execute(database), settings]);
    return nearestOf(reading, query, rows);
  }
  await sql`select set_config('jit', 'off', true)`.execute(database);
  const { rows } = await sql<VectorHit>`
    select c.key, ${distanceTo(vector, 't')} as distance from ${VISIBLE} join ${from} on t.key = c.key
    where ${where} order by 2, 1 limit ${limit}`.execute(database);
  return nearestOf(reading, query, rows);
}

async function conditionOf(reading: Reading, { filter }: IndexedQuery): Promise<RawBuilder<boolean>> {
  if (filter?.phraseFilters === undefined && filter?.past === undefined) return passes(filter);
  const resolved = await resolveFilter(reading, filter);
  return sql<boolean>`c.key in ${numbers(resolved?.keys ?? [])}`;
}
