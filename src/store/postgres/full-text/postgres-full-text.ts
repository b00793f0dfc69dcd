import { sql, type Transaction } from 'kysely';
import { analyseForIndex } from '../../full-text/analyse.ts';
import { PAST_CHUNK_TEXTS } from '../../sql/full-text/full-text-rows.ts';
import { type FullTextTables, type IndexTable, indexTables } from '../../sql/full-text/full-text-tables.ts';
import type { Tables } from '../../sql/schema.ts';
import { inBatches } from '../../sql/sqlite/key-ranges.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { numbers, texts } from '../array-values.ts';
import { PREPARED } from '../prepared.ts';
import { type Block, changePostings } from './change-postings.ts';
import { decodePostings, type Posting } from './posting-blocks.ts';
import { type Entry, postingsOf } from './postings-of.ts';

/** Number of texts analysed before their postings are written. */
const TEXTS = 500;

interface SourceRow {
  readonly key: number;
  readonly title: string | null;
  readonly heading_path: string;
  readonly text: string;
}

/** Full-text indexes as posting blocks, updated in the transaction of the change. */
export const postgresFullText: FullTextTables = {
  async add(database, table, source) {
    const { rows } = await sql<SourceRow>`${source}`.execute(database);
    for (const batch of inBatches(rows, TEXTS)) {
      const entries = batch.map(({ key, title, heading_path, text }) => ({
        key,
        ...analyseForIndex({ title: title ?? '', headingPath: JSON.parse(heading_path) as string[], text }),
      }));
      await addEntries(database, table, entries);
    }
  },

  async remove(database, table, keys) {
    const { rows } = await sql<Entry>`
      delete from ${sql.table(table)} where key in (${keys}) returning key, title, body`.execute(database);
    if (rows.length > 0) await changePostings(database, table, postingsOf(rows), 'remove');
    return rows.length;
  },

  async clear(database, table) {
    await sql`delete from ${sql.table(table)}`.execute(database);
    await sql`delete from ${sql.table(`${table}_blocks`)}`.execute(database);
    await sql`update full_text_sizes set entries = 0, length = 0, version = version + 1, removed = version + 1
      where name = ${table}`.execute(database);
  },

  async hasAny(database, table, keys) {
    const { rows } = await sql`
      select 1 from ${sql.table(table)} where key in ${numbers(keys)} limit 1`.execute(database);
    return rows.length > 0;
  },
};

async function addEntries(database: Queries, table: IndexTable, entries: readonly Entry[]): Promise<void> {
  const added = postingsOf(entries);
  await sql`
    insert into ${sql.table(table)} (key, title, body, length)
    select * from unnest(${entries.map(({ key }) => key)}::bigint[], ${entries.map(({ title }) => title)}::text[],
      ${entries.map(({ body }) => body)}::text[], ${entries.map(({ key }) => added.lengths.get(key) ?? 0)}::integer[])
    `.execute(database);
  await changePostings(database, table, added, 'add');
}

/** Updates the full-text indexes for rows that triggers have moved or removed in this transaction. */
export async function updateFullText(database: Transaction<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string; key: number; is_gone: number }>`
    delete from full_text_due returning name, key, is_gone`.execute(database);
  if (rows.length === 0) return;
  for (const table of indexTables) {
    const due = rows.filter(({ name }) => name === table);
    const gone = due.filter(({ is_gone }) => is_gone === 1).map(({ key }) => key);
    const added = [...new Set(due.filter(({ is_gone }) => is_gone === 0).map(({ key }) => key))];
    if (gone.length > 0) await postgresFullText.remove(database, table, numbers(gone));
    if (added.length > 0 && table === 'past_chunk_terms') {
      await postgresFullText.add(database, table, sql`${PAST_CHUNK_TEXTS} where p.key in ${numbers(added)}`);
    }
  }
}

/** The postings of these terms, from all their blocks. */
export async function readPostings(
  database: Queries,
  table: IndexTable,
  terms: readonly string[],
): Promise<Map<string, Posting[]>> {
  const { rows } = await sql<Block>`${sql.raw(PREPARED)}
    select term, first, postings from ${sql.table(`${table}_blocks`)} where term in ${texts(terms)}
    order by term, first`.execute(database);
  const found = new Map<string, Posting[]>();
  for (const { term, first, postings } of rows) {
    const before = found.get(term);
    const decoded = decodePostings(postings, first);
    if (before === undefined) found.set(term, decoded);
    else for (const posting of decoded) before.push(posting);
  }
  return found;
}
