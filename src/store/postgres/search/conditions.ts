import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../sql/sql-dialect.ts';
import type { StateQueries } from './reading.ts';

/** A condition compiled by `postgresSql`, as a part of another statement. */
export function toRaw({ sql: text, parameters }: Condition): RawBuilder<boolean> {
  // Values are bound in order; the parts are joined flat, as thousands of conditions nested would be too deep.
  const parts = `(${text})`.split(/\$\d+/);
  return sql<boolean>(Object.assign(parts, { raw: parts }), ...parameters);
}

/** The keys that a query for `key` finds, as one value, which is faster than rows. */
export async function readKeys(queries: StateQueries, query: RawBuilder<unknown>): Promise<number[]> {
  const rows = await queries.rows(
    sql<{ keys: string | null }>`select string_agg(found.key::text, ',') as keys from (${query}) as found`,
  );
  return rows[0]?.keys?.split(',').map(Number) ?? [];
}
