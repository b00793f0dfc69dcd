import type { SQLInputValue } from 'node:sqlite';
import { createQueryId, PostgresQueryCompiler, sql } from 'kysely';
import type { ColumnTypes, SqlDialect } from '../sql/sql-dialect.ts';
import { numbers, texts } from './array-values.ts';
import { postgresFilters } from './filters/postgres-filters.ts';
import { postgresFullText } from './full-text/postgres-full-text.ts';
import { PREPARED } from './prepared.ts';

const ARRAYS = { integer: 'bigint[]', real: 'double precision[]', text: 'text[]' } as const;

const types: ColumnTypes = {
  key: 'bigint',
  asKey: (column) => column.generatedByDefaultAsIdentity().primaryKey(),
  integer: 'integer',
  long: 'bigint',
  real: 'double precision',
  text: sql`text collate "C"`,
  json: 'jsonb',
  bytes: 'bytea',
};

/** SQL that differs between PostgreSQL and SQLite, for PostgreSQL. */
export const postgresSql: SqlDialect = {
  name: 'postgres',
  types,
  filters: postgresFilters,
  fullText: postgresFullText,
  compile(condition) {
    const { sql: text, parameters } = new PostgresQueryCompiler().compileQuery(
      sql`${condition}`.toOperationNode() as Parameters<PostgresQueryCompiler['compileQuery']>[0],
      createQueryId(),
    );
    return { sql: text, parameters: parameters as readonly SQLInputValue[] };
  },
  prepared: sql.raw(PREPARED),
  phrase: (sequences) => JSON.stringify(sequences),
  numbers,
  texts,
  rows(types, list) {
    const columns = Object.keys(types) as (keyof typeof types)[];
    const values = columns.map(
      (column) => sql`${list.map((row) => row[column] ?? null)}::${sql.raw(ARRAYS[types[column]])}`,
    );
    return sql`(select * from unnest(${sql.join(values)}) as r (${sql.join(columns.map((column) => sql.ref(column)))}))`;
  },
  randomId: sql<string>`gen_random_uuid()::text`,
  joinInOrder: sql`join`,
  usingIndex: () => sql``,
  listOf: (column) => sql<string>`coalesce(json_agg(${column}), '[]')`,
  isFalse: (json, field) => sql<boolean>`coalesce(${json}::json ->> ${sql.lit(field)}, 'true') = 'false'`,
  lines: (json) => sql`(select string_agg(value, chr(10)) from jsonb_array_elements_text(${json}::jsonb))`,
};
