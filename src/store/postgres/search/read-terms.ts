import { sql } from 'kysely';
import type { ChunkLengths } from '../../sql/full-text/chunk-lengths.ts';
import type { IndexTable } from '../../sql/full-text/full-text-tables.ts';
import type { TermIndex } from '../../sql/full-text/term-index.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { texts } from '../array-values.ts';
import { readPostings } from '../full-text/postgres-full-text.ts';
import type { Posting } from '../full-text/posting-blocks.ts';

/**
 * Runs a ranking, which reads the index synchronously, over what has been fetched of it so far, and again once what it
 * lacked has been fetched. A search takes two or three rounds, each of a few queries.
 */
export async function withTerms<Result>(
  database: Queries,
  table: IndexTable,
  { terms, rank }: { readonly terms: Iterable<string>; readonly rank: (index: TermIndex) => Result },
): Promise<Result> {
  const sizes = await sql<{ entries: number; length: number }>`
    select entries, length from full_text_sizes where name = ${table}`.execute(database);
  const { entries = 0, length = 0 } = sizes.rows[0] ?? {};
  const counts = await readCounts(database, table, [...new Set(terms)]);
  const postings = new Map<string, Posting[]>();
  const vocabularies = new Map<string, readonly string[]>();
  for (;;) {
    const lacking = { counts: new Set<string>(), postings: new Set<string>(), vocabularies: new Set<string>() };
    const chunks = toLengths(postings.values(), { entries, length });
    const result = rank({
      chunks,
      count: (term) => counts.get(term) ?? lack(lacking.counts, term, 0),
      postings: (term) => {
        if (counts.get(term) === 0) return [];
        const known = postings.get(term);
        return known === undefined ? lack(lacking.postings, term, []) : toOccurrences(known);
      },
      seek: (from) => {
        const [initial = ''] = from;
        const known = vocabularies.get(initial);
        return known === undefined ? lack(lacking.vocabularies, initial, undefined) : firstFrom(known, from);
      },
    });
    const isComplete = lacking.counts.size + lacking.postings.size + lacking.vocabularies.size === 0;
    if (isComplete) return result;
    for (const [term, count] of await readCounts(database, table, [...lacking.counts])) counts.set(term, count);
    const found = await readPostings(database, table, [...lacking.postings]);
    for (const term of lacking.postings) postings.set(term, found.get(term) ?? []);
    for (const initial of lacking.vocabularies)
      vocabularies.set(initial, await readVocabulary(database, table, initial));
  }
}

function lack<Value>(lacking: Set<string>, wanted: string, instead: Value): Value {
  lacking.add(wanted);
  return instead;
}

async function readCounts(
  database: Queries,
  table: IndexTable,
  terms: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map(terms.map((term) => [term, 0]));
  if (terms.length === 0) return counts;
  const { rows } = await sql<{ term: string; count: number }>`
    select term, sum(occurrences) as count from ${sql.table(`${table}_blocks`)} where term in ${texts(terms)}
    group by term`.execute(database);
  for (const { term, count } of rows) counts.set(term, count);
  return counts;
}

/** The terms that begin with a character, in order of code points. */
async function readVocabulary(database: Queries, table: IndexTable, initial: string): Promise<readonly string[]> {
  const { rows } = await sql<{ term: string }>`
    select distinct term from ${sql.table(`${table}_blocks`)} where starts_with(term, ${initial}) and term >= ${initial}
    order by term`.execute(database);
  return rows.map(({ term }) => term);
}

/** The first term not before a text, by binary search. */
function firstFrom(terms: readonly string[], from: string): string | undefined {
  let low = 0;
  let high = terms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(terms[middle] ?? '', from)) low = middle + 1;
    else high = middle;
  }
  return terms[low];
}

// Code point order, which is that of UTF-8 bytes.
const isBefore = (one: string, two: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(two)) < 0;

/** One key per occurrence, negative for one in the title. */
function toOccurrences(postings: readonly Posting[]): number[] {
  const occurrences: number[] = [];
  for (const { key, title, body } of postings) {
    for (let at = 0; at < title; at++) occurrences.push(-key);
    for (let at = 0; at < body; at++) occurrences.push(key);
  }
  return occurrences;
}

/** Lengths of the chunks in these postings, with the count and the mean of the whole index. */
function toLengths(
  all: Iterable<readonly Posting[]>,
  { entries, length }: { readonly entries: number; readonly length: number },
): ChunkLengths {
  const lists = [...all];
  const largest = lists.reduce((most, postings) => Math.max(most, postings.at(-1)?.key ?? 0), 0);
  const lengths = new Int32Array(largest + 1).fill(-1);
  for (const postings of lists) for (const posting of postings) lengths[posting.key] = posting.length;
  return {
    lengths,
    count: entries,
    mean: entries === 0 ? 0 : length / entries,
    scores: new Float64Array(largest + 1),
  };
}
