import { sql } from 'kysely';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/**
 * Keeps mentions in chunks whose text also occurs, word for word, among the staged chunks that are about to replace the
 * visible ones. The others are deleted with the old chunks, and the next extraction adds new ones.
 */
export async function keepMentions(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
): Promise<void> {
  const extracted = await database
    .selectFrom('document_entities')
    .select('key')
    .where('document_key', '=', document.key)
    .limit(1)
    .executeTakeFirst();
  if (extracted === undefined) return;
  const chunks = (generation: number) => sql`
    select key, text, row_number() over (partition by text order by ordinal) as place from chunks
    where document_key = ${document.key} and generation = ${generation}`;
  const { rows } = await sql<{ old: number; new: number }>`
    with old as materialized (${chunks(document.generation)}), new as materialized (${chunks(document.generation + 1)})
    select old.key as old, new.key as new from old join new on new.text = old.text and new.place = old.place`.execute(
    database,
  );
  const moved = dialectOf(database).rows({ old: 'integer', new: 'integer' }, rows);
  for (const table of ['entity_mentions', 'relationship_mentions']) {
    await sql`
      update ${sql.table(table)} set chunk_key = moved.new from ${moved} as moved where chunk_key = moved.old`.execute(
      database,
    );
  }
}
