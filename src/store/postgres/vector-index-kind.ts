import { sql } from 'kysely';
import type { Queries } from '../sql/vector-spaces/space-rows.ts';

/** Where vectors are searched. */
export type VectorIndexKind = 'chroma' | 'pgvector';

/** Beginning of the names of the tables in which pgvector has its collections. */
export const VECTOR_TABLES = 'vector_index_';

const NAME = 'vector_index';

/**
 * Remembers where vectors are searched. After a change the collections get new names, so that they are filled again from
 * the records: in the index that was used before, or is used again, documents of the time between are missing.
 */
export async function settleVectorIndex(database: Queries, kind: VectorIndexKind): Promise<void> {
  // Servers that start at the same time change the names once.
  await sql`select pg_advisory_xact_lock(hashtext('citewell vector index'))`.execute(database);
  const known = await database.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst();
  if ((known?.value ?? 'chroma') === kind) return;
  await database
    .insertInto('settings')
    .values({ name: NAME, value: kind })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: kind }))
    .execute();
  await sql`update vector_spaces set collection =
    regexp_replace(collection, '-[^-]*$', '') || '-' || left(md5(random()::text || key), 12)`.execute(database);
  if (kind === 'pgvector') return;
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where starts_with(relname, ${VECTOR_TABLES})
      and relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(database);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(database);
}
