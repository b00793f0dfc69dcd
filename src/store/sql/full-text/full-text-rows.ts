import { type RawBuilder, sql } from 'kysely';
import { ANALYSER_VERSION } from '../../full-text/analyse.ts';
import type { Database } from '../database.ts';
import { communityTexts } from '../graph/community-rows.ts';
import { NAME_TEXTS, renewGraphTerms } from '../graph/name-rows.ts';
import type { Tables } from '../schema.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { termTables } from './chunk-lengths.ts';
import { CHUNK_TEXTS } from './filter-vocabulary.ts';
import type { IndexTable } from './full-text-tables.ts';

const STAMP = 'analyser_version';

const CHUNKS = sql.raw(CHUNK_TEXTS);
const DOCUMENTS = sql.raw("select key, title, '[]' as heading_path, coalesce(summary, '') as text from documents");

const VERSIONS = sql.raw(`
  select key, title, '[]' as heading_path, coalesce(summary, '') as text
  from document_versions where retired_at is null`);

/** The chunks of earlier versions, under the alias `p`, with their texts for the index. */
export const PAST_CHUNK_TEXTS = sql.raw(`
  select p.key, (
      select v.title from version_chunks m join document_versions v on v.key = m.version_key
      where m.chunk_key = p.key limit 1
    ) as title, p.heading_path, coalesce(p.context || '\n', '') || p.text as text
  from past_chunks p`);

/** Indexes the chunks of one generation of a document, and the document itself. */
export async function addFullText(database: Queries, documentKey: number, generation: number): Promise<void> {
  const chunks = sql`${CHUNKS} where c.document_key = ${documentKey} and c.generation = ${generation}`;
  await dialectOf(database).fullText.add(database, 'chunk_terms', chunks);
  await addDocumentFullText(database, documentKey);
}

/** Indexes the document itself. */
export const addDocumentFullText = (database: Queries, documentKey: number): Promise<void> =>
  dialectOf(database).fullText.add(database, 'document_terms', sql`${DOCUMENTS} where key = ${documentKey}`);

/** Indexes the visible chunks of a document that an earlier publication has not indexed already. */
export async function addStagedFullText(
  database: Queries,
  documentKey: number,
  { includesKept }: { readonly includesKept: boolean },
): Promise<void> {
  const filled = includesKept
    ? sql`select 0`
    : sql`select chunk_key from kept_chunks where document_key = ${documentKey}`;
  const staged = sql`
    ${CHUNKS} and d.generation = c.generation where c.document_key = ${documentKey} and c.key not in (${filled})`;
  await dialectOf(database).fullText.add(database, 'chunk_terms', staged);
}

/** Indexes one chunk of a document that is already indexed. */
export const addChunkFullText = (database: Queries, chunkKey: number): Promise<void> =>
  dialectOf(database).fullText.add(database, 'chunk_terms', sql`${CHUNKS} where c.key = ${chunkKey}`);

/** Removes the full-text entries of one chunk; returns their number. */
export const removeChunkFullText = (database: Queries, chunkKey: number): Promise<number> =>
  dialectOf(database).fullText.remove(database, 'chunk_terms', sql`${chunkKey}`);

/** Removes the full-text entry of the document itself. */
export const removeDocumentFullText = (database: Queries, documentKey: number): Promise<number> =>
  dialectOf(database).fullText.remove(database, 'document_terms', sql`${documentKey}`);

/** Removes the full-text entries of a document whose chunks of this generation are visible. */
export async function removeFullText(database: Queries, documentKey: number, generation: number): Promise<number> {
  if (generation === 0) return 0;
  const chunks = sql`select key from chunks where document_key = ${documentKey} and generation = ${generation}`;
  const removed = await dialectOf(database).fullText.remove(database, 'chunk_terms', chunks);
  await removeDocumentFullText(database, documentKey);
  return removed;
}

/** Rebuilds the full-text index when the analyser has changed, because index and query must agree. */
export async function renewFullText({ writer }: Database): Promise<boolean> {
  if ((await readAnalyserStamp(writer)) === ANALYSER_VERSION) return false;
  await writer.transaction().execute(async (transaction) => {
    const { fullText } = dialectOf(transaction);
    for (const table of termTables) await fullText.clear(transaction, table);
    const visible = await transaction
      .selectFrom('documents')
      .select(['key', 'generation'])
      .where('generation', '>', 0)
      .execute();
    for (const { key, generation } of visible) await addFullText(transaction, key, generation);
    await renewGraphTerms(transaction);
    await renewPastTerms(transaction);
    await stampFullText(transaction);
  });
  return true;
}

/** The version of the analyser that built the full-text indexes; undefined before there are any. */
export async function readAnalyserStamp(database: Queries): Promise<string | undefined> {
  const stamp = await database.selectFrom('settings').select('value').where('name', '=', STAMP).executeTakeFirst();
  return stamp?.value;
}

/** Records that the current analyser built the full-text indexes. */
export async function stampFullText(database: Queries): Promise<void> {
  await database
    .insertInto('settings')
    .values({ name: STAMP, value: ANALYSER_VERSION })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: ANALYSER_VERSION }))
    .execute();
}

/** Rebuilds the full-text indexes of earlier versions, e.g. after a change of the analyser. */
async function renewPastTerms(database: Queries): Promise<void> {
  const { fullText } = dialectOf(database);
  await fullText.add(database, 'past_chunk_terms', sql`${PAST_CHUNK_TEXTS}`);
  await fullText.add(database, 'version_terms', VERSIONS);
}

/** For each index, the table that its keys refer to, and a query for the rows to index among some keys. */
export const indexSources: Readonly<Record<IndexTable, IndexSource>> = {
  chunk_terms: {
    table: 'chunks',
    of: (keys) => sql`${CHUNKS} where d.generation = c.generation and c.key in ${keys}`,
  },
  document_terms: { table: 'documents', of: (keys) => sql`${DOCUMENTS} where generation > 0 and key in ${keys}` },
  past_chunk_terms: { table: 'past_chunks', of: (keys) => sql`${PAST_CHUNK_TEXTS} where p.key in ${keys}` },
  version_terms: { table: 'document_versions', of: (keys) => sql`${VERSIONS} and key in ${keys}` },
  graph_name_terms: { table: 'graph_names', of: (keys) => sql`${NAME_TEXTS} where key in ${keys}` },
  graph_community_terms: {
    table: 'graph_communities',
    of: (keys, database) => sql`${communityTexts(database)} where key in ${keys}`,
  },
};

export interface IndexSource {
  readonly table: keyof Tables & string;
  of(keys: RawBuilder<unknown>, database: Queries): RawBuilder<unknown>;
}
