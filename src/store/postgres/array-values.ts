import { type RawBuilder, sql } from 'kysely';

/** Numbers as a subquery, bound as a single array parameter. */
export const numbers = (list: readonly number[]): RawBuilder<unknown> => sql`(select unnest(${list}::bigint[]))`;

/** Texts as a subquery, bound as a single array parameter. */
export const texts = (list: readonly string[]): RawBuilder<unknown> => sql`(select unnest(${list}::text[]))`;
