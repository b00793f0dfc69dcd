import { type RawBuilder, sql } from 'kysely';

/** Numbers as a subquery, bound as one value. */
export const numbers = (list: readonly number[]): RawBuilder<unknown> => sql`(select unnest(${list}::bigint[]))`;

/** Texts as a subquery, bound as one value. */
export const texts = (list: readonly string[]): RawBuilder<unknown> => sql`(select unnest(${list}::text[]))`;
