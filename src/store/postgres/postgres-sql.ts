import type { SQLInputValue } from 'node:sqlite';
import { createQueryId, PostgresQueryCompiler, sql } from 'kysely';
import type { SqlDialect } from '../sql/sql-dialect.ts';
import { numbers, texts } from './array-values.ts';
import { postgresFilters } from './filters/postgres-filters.ts';
import { postgresFullText } from './full-text/postgres-full-text.ts';

/** What PostgreSQL writes otherwise than SQLite. */
export const postgresSql: SqlDialect = {
  filters: postgresFilters,
  fullText: postgresFullText,
  compile(condition) {
    const { sql: text, parameters } = new PostgresQueryCompiler().compileQuery(
      sql`${condition}`.toOperationNode() as Parameters<PostgresQueryCompiler['compileQuery']>[0],
      createQueryId(),
    );
    return { sql: text, parameters: parameters as readonly SQLInputValue[] };
  },
  phrase: (sequences) => JSON.stringify(sequences),
  numbers,
  texts,
  pairs: (list) =>
    sql`(select * from unnest(${list.map(([one]) => one)}::bigint[], ${list.map(([, two]) => two)}::bigint[])
      as pair (one, two))`,
  randomId: sql<string>`gen_random_uuid()::text`,
  joinInOrder: sql`join`,
  lines: (json) => sql`(select string_agg(value, chr(10)) from jsonb_array_elements_text(${json}::jsonb))`,
};
