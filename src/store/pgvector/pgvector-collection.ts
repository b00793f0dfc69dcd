import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { raceAbort } from '../../shared/abort.ts';
import { settingAll } from '../postgres/prepared.ts';
import type { Tables } from '../sql/schema.ts';
import { inBatches } from '../sql/sqlite/key-ranges.ts';
import { cancelled } from '../sql/sqlite/thread-pool.ts';
import type { VectorCollection, VectorHit } from '../vector-index.ts';
import { asVector, distanceTo, graphOf, graphSettings, hasDirection, tableOf } from './vector-tables.ts';

/** Numbers per statement; each row has two parameters, of which a statement can have 65,535. */
const BATCH_NUMBERS = 500_000;
const BATCH_ROWS = 1_000;

/** The table of a collection, which exists. */
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
      // Without a graph, those without direction come last.
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
      // In order of keys, so that two writers never wait for each other.
      const unique = [...new Map(records.map(({ key, vector }) => [key, vector]))].sort(([one], [two]) => one - two);
      const size = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_NUMBERS / dimensions)));
      for (const batch of inBatches(unique, size)) {
        const rows = batch.map(([key, vector]) => sql`(${key}::bigint, ${asVector(vector)})`);
        // A row that is as it should be is not written again: the graph would keep both until the next vacuum.
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
