import { sql } from 'kysely';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Rebuilds the full-text indexes of earlier versions, e.g. after a change of the analyser. */
export async function renewPastTerms(database: Queries): Promise<void> {
  for (const table of ['past_chunk_terms', 'version_terms']) {
    await sql`insert into ${sql.table(table)} (${sql.ref(table)}) values ('delete-all')`.execute(database);
  }
  await sql`
    insert into past_chunk_terms (rowid, title, body)
    with analysed as materialized (
      select p.key, index_terms(
        (select v.title from version_chunks m join document_versions v on v.key = m.version_key
         where m.chunk_key = p.key limit 1), p.heading_path,
        coalesce(p.context || char(10), '') || p.text) as terms
      from past_chunks p
    )
    select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
  await sql`
    insert into version_terms (rowid, title, body)
    with analysed as materialized (
      select key, index_terms(title, '[]', coalesce(summary, '')) as terms
      from document_versions where retired_at is null
    )
    select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
}
