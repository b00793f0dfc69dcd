import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { raceAbort } from '../../shared/abort.ts';
import { settingAll } from '../postgres/prepared.ts';
import type { Tables } from '../sql/schema.ts';
import { inBatches } from '../sql/sqlite/key-ranges.ts';
import { cancelled } from '../sql/sqlite/thread-pool.ts';
import type { VectorCollection, VectorHit } from '../vector-index.ts';
import { asVector, distanceTo, graphOf, graphSettings, hasDirection, tableOf } from './vector-tables.ts';

/** Maximum numbers per statement. The number of rows is limited too: each has two of at most 65,535 parameters. */
const BATCH_NUMBERS = 500_000;
const BATCH_ROWS = 1_000;

/** A collection in its existing table. */
export function pgvectorCollection(database: Kysely<Tables>, name: string, dimensions: number): VectorCollection {
  const table = sql.table(tableOf(name));
  const graph = graphOf(dimensions);
  const checkLength = ({ length }: Float32Array) => {
    if (length === dimensions) return;
    throw new ServiceError(
      'store_failed',
      `The collection ${name} holds vectors of ${dimensions} dimensions, not of ${length}.`,
    );
  };

  async function throughGraph(vector: Float32Array, limit: number): Promise<VectorHit[]> {
    if (graph === undefined || !hasDirection(vector)) return [];
    return database.transaction().execute(async (transaction) => {
      await sql.raw(settingAll(graphSettings({ limit, expected: limit }))).execute(transaction);
      const { rows } = await sql<VectorHit>`
        select t.key, ${distanceTo(vector, 't')} as distance from ${table} t
        order by ${graph.vector('t')} <=> ${graph.query(vector)} limit ${limit}`.execute(transaction);
      // Without a graph, the query returns zero vectors last, although their distance is 1.
      return rows.map(toHit).sort((one, other) => one.distance - other.distance || one.key - other.key);
    });
  }

  async function exactly(vector: Float32Array, limit: number): Promise<VectorHit[]> {
    const { rows } = await sql<VectorHit>`
      select t.key, ${distanceTo(vector, 't')} as distance from ${table} t order by 2, 1 limit ${limit}`.execute(
      database,
    );
    return rows.map(toHit);
  }

  return {
    async upsert(records) {
      for (const { vector } of records) checkLength(vector);
      // Ordered by key, so that two writers cannot deadlock.
      const unique = [...new Map(records.map(({ key, vector }) => [key, vector]))].sort(([one], [two]) => one - two);
      const size = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_NUMBERS / dimensions)));
      for (const batch of inBatches(unique, size)) {
        const rows = batch.map(([key, vector]) => sql`(${key}::bigint, ${asVector(vector)})`);
        // Skips unchanged rows: until the next vacuum, the graph would contain both row versions.
        await sql`insert into ${table} as t (key, vector) values ${sql.join(rows)}
          on conflict (key) do update set vector = excluded.vector where t.vector <> excluded.vector`.execute(database);
      }
    },

    async remove(keys) {
      if (keys.length === 0) return;
      await sql`delete from ${table} where key in (select unnest(${keys}::bigint[]))`.execute(database);
    },

    async nearest(vector, limit, signal) {
      checkLength(vector);
      if (signal?.aborted) throw cancelled(signal);
      if (limit < 1) return [];
      const search = async () => {
        const hits = await throughGraph(vector, limit);
        return hits.length < limit ? exactly(vector, limit) : hits;
      };
      const found = search();
      found.catch(() => {});
      return raceAbort(found, signal, cancelled);
    },

    async count() {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${table}`.execute(database);
      return rows[0]?.count ?? 0;
    },

    async clear() {
      await sql`truncate ${table}`.execute(database);
    },

    async keys({ offset, limit }) {
      const { rows } = await sql<{ key: number }>`
        select key from ${table} order by key limit ${limit} offset ${offset}`.execute(database);
      return rows.map(({ key }) => key);
    },
  };
}

const toHit = ({ key, distance }: VectorHit): VectorHit => ({ key, distance: Math.max(0, distance) });
