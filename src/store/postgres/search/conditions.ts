import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../sql/sql-dialect.ts';
import type { StateQueries } from './reading.ts';

/** Embeds a condition compiled by `postgresSql` in another statement. */
export function toRaw({ sql: text, parameters }: Condition): RawBuilder<boolean> {
  // Values are bound in order. The template is flat, because thousands of conditions would nest too deeply.
  const parts = `(${text})`.split(/\$\d+/);
  return sql<boolean>(Object.assign(parts, { raw: parts }), ...parameters);
}

/** The values of `key` that a query selects, read as one aggregated value, which is faster than reading rows. */
export async function readKeys(queries: StateQueries, query: RawBuilder<unknown>): Promise<number[]> {
  const rows = await queries.rows(
    sql<{ keys: string | null }>`select string_agg(found.key::text, ',') as keys from (${query}) as found`,
  );
  return rows[0]?.keys?.split(',').map(Number) ?? [];
}
