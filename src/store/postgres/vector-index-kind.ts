import { sql } from 'kysely';
import type { Queries } from '../sql/vector-spaces/space-rows.ts';

/** Where vectors are searched. */
export type VectorIndexKind = 'chroma' | 'pgvector';

/** Name prefix of the tables that hold the collections of pgvector. */
export const VECTOR_TABLES = 'vector_index_';

const NAME = 'vector_index';

/**
 * Records the kind of vector index. After a change, the collections get new names, so that they are filled again from
 * the records: an index that is used again later would otherwise lack the documents added in between.
 */
export async function recordVectorIndexKind(database: Queries, kind: VectorIndexKind): Promise<void> {
  // Ensures that servers that start at the same time change the names only once.
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
