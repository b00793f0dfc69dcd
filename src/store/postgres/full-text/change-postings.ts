import { sql } from 'kysely';
import type { IndexTable } from '../../sql/full-text/full-text-tables.ts';
import { inBatches } from '../../sql/sqlite/key-ranges.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { countOccurrences, decodePostings, encodePostings, type Posting } from './posting-blocks.ts';
import type { Postings } from './postings-of.ts';

/** Maximum postings per block. Changing one posting rewrites its block, less than 1 kB. */
const MAX_POSTINGS = 256;

/** A block of the postings of a term, as it is stored. */
export interface Block {
  readonly term: string;
  readonly first: number;
  readonly postings: Uint8Array;
}

interface Written extends Block {
  readonly last: number;
  readonly entries: number;
  readonly occurrences: number;
}

/**
 * Adds the postings of these entries to the blocks of their terms, or removes them, and updates the size of the index.
 */
export async function changePostings(
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
