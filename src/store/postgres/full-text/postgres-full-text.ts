import { sql, type Transaction } from 'kysely';
import { analyseForIndex } from '../../full-text/analyse.ts';
import { PAST_CHUNK_TEXTS } from '../../sql/full-text/full-text-rows.ts';
import { type FullTextTables, type IndexTable, indexTables } from '../../sql/full-text/full-text-tables.ts';
import type { Tables } from '../../sql/schema.ts';
import { inBatches } from '../../sql/sqlite/key-ranges.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { numbers, texts } from '../array-values.ts';
import { PREPARED } from '../prepared.ts';
import { countOccurrences, decodePostings, encodePostings, type Posting } from './posting-blocks.ts';

/** Maximum postings per block. Changing one posting rewrites its block, less than 1 kB. */
const MAX_POSTINGS = 256;
/** Number of texts analysed before their postings are written. */
const TEXTS = 500;

interface SourceRow {
  readonly key: number;
  readonly title: string | null;
  readonly heading_path: string;
  readonly text: string;
}

interface Entry {
  readonly key: number;
  /** Terms, separated by spaces. */
  readonly title: string;
  readonly body: string;
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

interface Postings {
  readonly byTerm: ReadonlyMap<string, Posting[]>;
  readonly lengths: ReadonlyMap<number, number>;
}

const split = (terms: string): string[] => (terms === '' ? [] : terms.split(' '));

function postingsOf(entries: readonly Entry[]): Postings {
  const byTerm = new Map<string, Posting[]>();
  const lengths = new Map<number, number>();
  for (const { key, title, body } of [...entries].sort((one, two) => one.key - two.key)) {
    const counts = new Map<string, { title: number; body: number }>();
    const count = (terms: readonly string[], column: 'title' | 'body') => {
      for (const term of terms) {
        const known = counts.get(term) ?? { title: 0, body: 0 };
        known[column]++;
        counts.set(term, known);
      }
      return terms.length;
    };
    const length = count(split(title), 'title') + count(split(body), 'body');
    lengths.set(key, length);
    for (const [term, occurrences] of counts) {
      const posting = { key, ...occurrences, length };
      const others = byTerm.get(term);
      if (others === undefined) byTerm.set(term, [posting]);
      else others.push(posting);
    }
  }
  return { byTerm, lengths };
}

interface Block {
  readonly term: string;
  readonly first: number;
  readonly postings: Uint8Array;
}

interface Written extends Block {
  readonly last: number;
  readonly entries: number;
  readonly occurrences: number;
}

async function changePostings(
  database: Queries,
  table: IndexTable,
  { byTerm, lengths }: Postings,
  how: 'add' | 'remove',
): Promise<void> {
  const sign = how === 'add' ? 1 : -1;
  const length = [...lengths.values()].reduce((sum, each) => sum + each, 0);
  const { rows } = await sql<{ version: number }>`
    update full_text_sizes set entries = entries + ${sign * lengths.size}, length = length + ${sign * length},
      version = version + 1
    where name = ${table} returning version`.execute(database);
  const version = rows[0]?.version ?? 0;
  const others = how === 'add' ? await appendPostings(database, table, { byTerm, version }) : byTerm;
  if (others.size > 0) await rewriteBlocks(database, table, { byTerm: others, version, how });
}

interface Tail {
  readonly term: string;
  readonly first: number;
  readonly last: number;
  readonly entries: number;
}

interface Change {
  readonly byTerm: ReadonlyMap<string, readonly Posting[]>;
  readonly version: number;
}

/**
 * Appends postings whose keys are higher than all others, as for new chunks, to the last block of their term without
 * reading it. Returns the postings that belong elsewhere.
 */
async function appendPostings(
  database: Queries,
  table: IndexTable,
  { byTerm, version }: Change,
): Promise<ReadonlyMap<string, readonly Posting[]>> {
  const tails = await readTails(database, table, [...byTerm.keys()]);
  const others = new Map<string, readonly Posting[]>();
  const appended: Written[] = [];
  const created: Written[] = [];
  for (const [term, postings] of byTerm) {
    const tail = tails.get(term);
    const [lowest] = postings;
    if (tail !== undefined && lowest !== undefined && lowest.key <= tail.last) {
      others.set(term, postings);
      continue;
    }
    const room = tail === undefined ? 0 : Math.max(0, MAX_POSTINGS - tail.entries);
    const fitting = postings.slice(0, room);
    if (tail !== undefined && fitting.length > 0) {
      appended.push({ ...toBlock(term, tail.last, fitting), first: tail.first });
    }
    for (const part of inBatches(postings.slice(room), MAX_POSTINGS)) {
      created.push(toBlock(term, part[0]?.key ?? 0, part));
    }
  }
  if (appended.length > 0) {
    await sql`
      update ${blocksOf(table)} b set last = a.last, entries = b.entries + a.entries,
        occurrences = b.occurrences + a.occurrences, version = ${version}, postings = b.postings || a.postings
      from ${asRows(appended)} as a (${COLUMNS})
      where b.term = a.term collate "C" and b.first = a.first`.execute(database);
  }
  await writeBlocks(database, table, { written: created, version });
  return others;
}

async function readTails(
  database: Queries,
  table: IndexTable,
  terms: readonly string[],
): Promise<ReadonlyMap<string, Tail>> {
  const { rows } = await sql<Tail>`
    select w.term, b.first, b.last, b.entries from unnest(${terms}::text[]) as w (term)
    cross join lateral (
      select first, last, entries from ${blocksOf(table)} where term = w.term collate "C" order by first desc limit 1
    ) as b`.execute(database);
  return new Map(rows.map((row) => [row.term, row]));
}

const blocksOf = (table: IndexTable) => sql.table(`${table}_blocks`);

const toBlock = (term: string, first: number, postings: readonly Posting[]): Written => ({
  term,
  first,
  last: postings.at(-1)?.key ?? first,
  entries: postings.length,
  occurrences: countOccurrences(postings),
  postings: encodePostings(postings, first),
});

const COLUMNS = sql.raw('term, first, last, entries, occurrences, postings');

const asRows = (blocks: readonly Written[]) => sql`
  unnest(${blocks.map(({ term }) => term)}::text[], ${blocks.map(({ first }) => first)}::bigint[],
    ${blocks.map(({ last }) => last)}::bigint[], ${blocks.map(({ entries }) => entries)}::integer[],
    ${blocks.map(({ occurrences }) => occurrences)}::integer[], ${blocks.map(({ postings }) => postings)}::bytea[])`;

async function writeBlocks(
  database: Queries,
  table: IndexTable,
  { written, version }: { readonly written: readonly Written[]; readonly version: number },
): Promise<void> {
  if (written.length === 0) return;
  await sql`
    insert into ${blocksOf(table)} (${COLUMNS}, version)
    select w.*, ${version}::bigint from ${asRows(written)} as w (${COLUMNS})
    on conflict (term, first) do update set last = excluded.last, entries = excluded.entries,
      occurrences = excluded.occurrences, postings = excluded.postings, version = excluded.version`.execute(database);
}

/** Reads the blocks that contain these postings or have to receive them, and rewrites them. */
async function rewriteBlocks(
  database: Queries,
  table: IndexTable,
  { byTerm, version, how }: Change & { readonly how: 'add' | 'remove' },
): Promise<void> {
  const touched = await blocksFor(database, table, byTerm);
  const emptied: Block[] = [];
  const written: Written[] = [];
  for (const [term, changed] of byTerm) {
    const own = touched.get(term) ?? [];
    const keys = new Set(changed.map(({ key }) => key));
    const parts = own.map((block) => ({
      block,
      postings: decodePostings(block.postings, block.first).filter(({ key }) => !keys.has(key)),
    }));
    if (how === 'add') insertInto(parts, term, changed);
    for (const { block, postings } of parts) {
      if (postings.length === 0) {
        emptied.push(block);
        continue;
      }
      for (const [index, part] of inBatches(postings, MAX_POSTINGS).entries()) {
        const first = index === 0 ? block.first : (part[0]?.key ?? 0);
        written.push(toBlock(term, first, part));
      }
    }
  }
  if (emptied.length > 0) {
    await sql`
      delete from ${blocksOf(table)} b using unnest(${emptied.map(({ term }) => term)}::text[],
        ${emptied.map(({ first }) => first)}::bigint[]) as e (term, first)
      where b.term = e.term collate "C" and b.first = e.first`.execute(database);
    await sql`update full_text_sizes set removed = ${version} where name = ${table}`.execute(database);
  }
  await writeBlocks(database, table, { written, version });
}

/** Inserts each posting into the last block that begins at or before it, or into a new block if there is none. */
function insertInto(parts: { block: Block; postings: Posting[] }[], term: string, added: readonly Posting[]): void {
  for (const posting of added) {
    const part = parts.findLast(({ block }) => block.first <= posting.key);
    if (part !== undefined) part.postings.push(posting);
    else parts.unshift({ block: { term, first: posting.key, postings: NO_BYTES }, postings: [posting] });
  }
  for (const { postings } of parts) postings.sort((one, two) => one.key - two.key);
}

const NO_BYTES = new Uint8Array();

/** The blocks that contain these postings or have to receive them, by term, ordered by key. */
async function blocksFor(
  database: Queries,
  table: IndexTable,
  byTerm: ReadonlyMap<string, readonly Posting[]>,
): Promise<Map<string, Block[]>> {
  const blocks = blocksOf(table);
  const lows = [...byTerm.values()].map((postings) => postings[0]?.key ?? 0);
  const highs = [...byTerm.values()].map((postings) => postings.at(-1)?.key ?? 0);
  const { rows } = await sql<Block>`
    select w.term, b.first, b.postings
    from unnest(${[...byTerm.keys()]}::text[], ${lows}::bigint[], ${highs}::bigint[]) as w (term, low, high)
    cross join lateral (
      (select first, postings from ${blocks} where term = w.term collate "C" and first <= w.low
       order by first desc limit 1)
      union all
      (select first, postings from ${blocks} where term = w.term collate "C" and first > w.low and first <= w.high)
    ) as b
    order by b.first`.execute(database);
  return Map.groupBy(rows, ({ term }) => term);
}

/** Updates the full-text indexes for rows that triggers have moved or removed in this transaction. */
export async function settleFullText(database: Transaction<Tables>): Promise<void> {
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
