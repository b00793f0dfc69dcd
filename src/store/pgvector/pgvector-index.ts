import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { nameOfDatabase } from '../name-of-database.ts';
import { openConnections } from '../postgres/postgres-dialect.ts';
import type { Tables } from '../sql/schema.ts';
import type { VectorIndex } from '../vector-index.ts';
import { buildGraph } from './build-graph.ts';
import { requireExtension } from './extension.ts';
import { pgvectorCollection } from './pgvector-collection.ts';
import { fitsInPage, graphOf, isVectorTable, tableOf } from './vector-tables.ts';

export interface PgvectorOptions {
  /** The database of the records. */
  readonly url: string;
  readonly connections?: number;
  /** A query without an answer after this time fails, and its connection is replaced. */
  readonly answerWithinMs?: number;
  readonly log?: { warn(details: object, message: string): void };
}

const HEALTHY_WITHIN_MS = 1_000;
/** Generous: adding a thousand vectors to a large graph takes a minute or two. */
const ANSWER_WITHIN_MS = 600_000;

/**
 * A vector index in the database of the records, with a table for each collection. Throws ServiceError if the
 * extension cannot be used. Searches of the record store join these tables (`nearest-indexed.ts`).
 */
export async function openPgvector(options: PgvectorOptions): Promise<VectorIndex> {
  const { url, connections = 2, answerWithinMs = ANSWER_WITHIN_MS, log } = options;
  const name = nameOfDatabase(url);
  const database = openConnections({ name, url, size: connections, answerWithinMs: () => answerWithinMs });
  try {
    await requireExtension(database, name);
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const closing = new AbortController();
  return {
    isOurs: false,
    isInDatabase: true,
    async open(collection, dimensions) {
      await makeTable(database, collection, dimensions);
      if (graphOf(dimensions) === undefined) {
        log?.warn({ collection, dimensions }, 'pgvector indexes at most 4000 dimensions: all vectors are compared.');
      }
      const build = { url, name, collection, dimensions, signal: closing.signal };
      return { ...pgvectorCollection(database, collection, dimensions), settle: () => buildGraph(build) };
    },
    async drop(collection) {
      await sql`drop table if exists ${sql.table(tableOf(collection))}`.execute(database);
    },
    async list() {
      const { rows } = await sql<{ name: string | null }>`
        select obj_description(oid, 'pg_class') as name from pg_class where ${isVectorTable}`.execute(database);
      return rows.flatMap((row) => row.name ?? []);
    },
    async isHealthy() {
      const late = AbortSignal.timeout(HEALTHY_WITHIN_MS);
      const waited = new Promise<false>((resolve) => late.addEventListener('abort', () => resolve(false)));
      const answered = sql`select 1`.execute(database).then(
        () => true,
        () => false,
      );
      return Promise.race([answered, waited]);
    },
    onRecovered: () => undefined,
    async close() {
      closing.abort();
      await database.destroy();
    },
  };
}

/** Creates the table, whose graph is built once it is filled, or checks that an existing table has these dimensions. */
async function makeTable(database: Kysely<Tables>, collection: string, dimensions: number): Promise<void> {
  const known = await dimensionsOf(database, collection);
  if (known === undefined) {
    await database.transaction().execute(async (transaction) => {
      // Two servers that create the same table at the same time would otherwise fail.
      await sql`select pg_advisory_xact_lock(hashtext('citewell vector index'))`.execute(transaction);
      if ((await dimensionsOf(transaction, collection)) === undefined) {
        for (const statement of statementsFor(collection, dimensions)) await sql.raw(statement).execute(transaction);
      }
    });
  } else if (known !== dimensions) {
    throw new ServiceError(
      'store_failed',
      `The collection ${collection} holds vectors of ${known} dimensions, not of ${dimensions}.`,
    );
  }
}

/** Undefined when the table does not exist. */
async function dimensionsOf(database: Kysely<Tables>, collection: string): Promise<number | undefined> {
  const { rows } = await sql<{ dimensions: number }>`
    select atttypmod as dimensions from pg_attribute
    where attrelid = to_regclass(${tableOf(collection)}) and attname = 'vector'`.execute(database);
  return rows[0]?.dimensions;
}

function statementsFor(collection: string, dimensions: number): string[] {
  const table = tableOf(collection);
  return [
    `create table ${table} (key bigint primary key, vector vector(${dimensions}) not null)`,
    `comment on table ${table} is '${collection.replaceAll("'", "''")}'`,
    ...(fitsInPage(dimensions) ? [`alter table ${table} alter column vector set storage plain`] : []),
  ];
}
