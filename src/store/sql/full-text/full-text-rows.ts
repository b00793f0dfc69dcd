import { sql } from 'kysely';
import { ANALYSER_VERSION } from '../../full-text/analyse.ts';
import { renewGraphTerms } from '../graph/name-rows.ts';
import type { Sqlite } from '../sqlite/open-sqlite.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

const STAMP = 'analyser_version';

/** The indexed text of a chunk: its generated context, then its own text. */
const FOUND_BY = sql.raw("coalesce(c.context || char(10), '') || c.text");

/** Indexes the chunks of one generation of a document, and the document itself. */
export async function addFullText(database: Queries, documentKey: number, generation: number): Promise<void> {
  // Materialised, so that a chunk is analysed once rather than once per column.
  await sql`
    insert into chunk_terms (rowid, title, body)
    with analysed as materialized (
      select c.key, index_terms(d.title, c.heading_path, ${FOUND_BY}) as terms
      from chunks c join documents d on d.key = c.document_key
      where c.document_key = ${documentKey} and c.generation = ${generation}
    )
    select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
  await addDocumentFullText(database, documentKey);
}

/** Indexes the document itself. */
export async function addDocumentFullText(database: Queries, documentKey: number): Promise<void> {
  await sql`
    insert into document_terms (rowid, title, body)
    with analysed as materialized (
      select key, index_terms(title, '[]', coalesce(summary, '')) as terms from documents where key = ${documentKey}
    )
    select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
}

/** Indexes the visible chunks of a document that an earlier publication has not indexed already. */
export async function addStagedFullText(
  database: Queries,
  documentKey: number,
  { includesKept }: { readonly includesKept: boolean },
): Promise<void> {
  const filled = includesKept
    ? sql`select 0`
    : sql`select chunk_key from kept_chunks where document_key = ${documentKey}`;
  await sql`
    insert into chunk_terms (rowid, title, body)
    with analysed as materialized (
      select c.key, index_terms(d.title, c.heading_path, ${FOUND_BY}) as terms
      from chunks c join documents d on d.key = c.document_key and d.generation = c.generation
      where c.document_key = ${documentKey} and c.key not in (${filled})
    )
    select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
}

/** Indexes one chunk of a document that is already indexed. */
export async function addChunkFullText(database: Queries, chunkKey: number): Promise<void> {
  await sql`
    insert into chunk_terms (rowid, title, body)
    with analysed as materialized (
      select c.key, index_terms(d.title, c.heading_path, ${FOUND_BY}) as terms
      from chunks c join documents d on d.key = c.document_key
      where c.key = ${chunkKey}
    )
    select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
}

/** Removes the full-text entries of one chunk; returns their number. */
export async function removeChunkFullText(database: Queries, chunkKey: number): Promise<number> {
  const removed = await sql`delete from chunk_terms where rowid = ${chunkKey}`.execute(database);
  return Number(removed.numAffectedRows ?? 0);
}

/** Removes the full-text entries of a document whose chunks of this generation are visible. */
export async function removeFullText(database: Queries, documentKey: number, generation: number): Promise<number> {
  if (generation === 0) return 0;
  const removed = await sql`
    delete from chunk_terms
    where rowid in (select key from chunks where document_key = ${documentKey} and generation = ${generation})`.execute(
    database,
  );
  await sql`delete from document_terms where rowid = ${documentKey}`.execute(database);
  return Number(removed.numAffectedRows ?? 0);
}

/** Rebuilds the full-text index when the analyser has changed, because index and query must agree. */
export async function renewFullText({ writer }: Sqlite): Promise<boolean> {
  const stamp = await writer.selectFrom('settings').select('value').where('name', '=', STAMP).executeTakeFirst();
  if (stamp?.value === ANALYSER_VERSION) return false;
  await writer.transaction().execute(async (transaction) => {
    await sql`insert into chunk_terms (chunk_terms) values ('delete-all')`.execute(transaction);
    await sql`insert into document_terms (document_terms) values ('delete-all')`.execute(transaction);
    const visible = await transaction
      .selectFrom('documents')
      .select(['key', 'generation'])
      .where('generation', '>', 0)
      .execute();
    for (const { key, generation } of visible) await addFullText(transaction, key, generation);
    await renewGraphTerms(transaction);
    await renewPastTerms(transaction);
    await transaction
      .insertInto('settings')
      .values({ name: STAMP, value: ANALYSER_VERSION })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: ANALYSER_VERSION }))
      .execute();
  });
  return true;
}

/** Rebuilds the full-text indexes of earlier versions, e.g. after a change of the analyser. */
async function renewPastTerms(database: Queries): Promise<void> {
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
