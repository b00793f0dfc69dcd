import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../sql/sql-dialect.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';

/** A condition compiled by `postgresSql`, as a part of another statement. */
export function toRaw({ sql: text, parameters }: Condition): RawBuilder<boolean> {
  // Values are bound in order; the parts are joined flat, as thousands of conditions nested would be too deep.
  const parts = `(${text})`.split(/\$\d+/);
  return sql<boolean>(Object.assign(parts, { raw: parts }), ...parameters);
}

/** The keys that a query for `key` finds, as one value, which is faster than rows. */
export async function readKeys(database: Queries, query: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ keys: string | null }>`
    select string_agg(found.key::text, ',') as keys from (${query}) as found`.execute(database);
  return rows[0]?.keys?.split(',').map(Number) ?? [];
}
