import { sql } from 'kysely';
import type { ChunkLengths } from '../../sql/full-text/chunk-lengths.ts';
import type { IndexTable } from '../../sql/full-text/full-text-tables.ts';
import { noPostings, toPostings } from '../../sql/full-text/postings.ts';
import type { TermIndex } from '../../sql/full-text/term-index.ts';
import { type KeySet, keySet } from '../../sql/search/key-set.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { texts } from '../array-values.ts';
import { compareCodePoints } from '../full-text/compare-code-points.ts';
import { readPostings } from '../full-text/postgres-full-text.ts';
import type { Posting } from '../full-text/posting-blocks.ts';
import type { CachedIndex } from './known-states.ts';
import type { Reading } from './reading.ts';

/** An index whose keys are shifted by `base`, so that those of several indexes do not collide. */
export interface TermSource {
  readonly table: IndexTable;
  readonly base: number;
}

/** The entries that statistics are computed over: their shifted keys, and their total number of terms. */
export interface StatisticsScope {
  readonly keys: readonly number[];
  readonly length: number;
}

export interface Ranking<Result> {
  /** Terms that will certainly be looked up; they are fetched in advance. */
  readonly terms: Iterable<string>;
  readonly rank: (index: TermIndex) => Result;
}

/**
 * Runs a synchronous ranking over the cached part of the index, fetches what was missing, and repeats until nothing is:
 * usually no or one query, with misspelt words two or three.
 */
export async function withPresentTerms<Result>(
  reading: Reading,
  table: CachedIndex,
  { terms, rank }: Ranking<Result>,
): Promise<Result> {
  const { cache, indexes } = reading;
  const known = cache.terms[table].at(indexes[table]);
  await known.fetch(reading, terms);
  for (;;) {
    const missing = { counts: new Set<string>(), postings: new Set<string>(), vocabularies: new Set<string>() };
    const result = rank({
      chunks: known.chunks,
      count: (term) => known.get(term)?.count ?? noteMissing(missing.counts, term, 0),
      postings: (term) => known.get(term)?.postings ?? noteMissing(missing.postings, term, noPostings),
      seek: (from) => {
        const [initial = ''] = from;
        const vocabulary = known.vocabulary(initial);
        return vocabulary === undefined
          ? noteMissing(missing.vocabularies, initial, undefined)
          : firstFrom(vocabulary, from);
      },
    });
    if (missing.counts.size + missing.postings.size + missing.vocabularies.size === 0) return result;
    await known.fetch(reading, missing.counts);
    await known.fetch(reading, missing.postings, true);
    for (const initial of missing.vocabularies) await known.fetchVocabulary(reading, initial);
  }
}

/** Like `withPresentTerms`, over indexes of current and earlier content, with the statistics of `within`. */
export async function withTerms<Result>(
  database: Queries,
  {
    sources,
    within,
    terms,
    rank,
  }: Ranking<Result> & { readonly sources: readonly TermSource[]; readonly within: StatisticsScope },
): Promise<Result> {
  const counted = keySet(within.keys);
  const statistics = { entries: within.keys.length, length: within.length };
  const counts = await readCounts(database, sources, [...new Set(terms)]);
  const postings = new Map<string, Posting[]>();
  const vocabularies = new Map<string, readonly string[]>();
  for (;;) {
    const missing = { counts: new Set<string>(), postings: new Set<string>(), vocabularies: new Set<string>() };
    const result = rank({
      chunks: toLengths(postings.values(), counted, statistics),
      count: (term) => counts.get(term) ?? noteMissing(missing.counts, term, 0),
      postings: (term) => {
        if (counts.get(term) === 0) return noPostings;
        const known = postings.get(term);
        return known === undefined ? noteMissing(missing.postings, term, noPostings) : toPostings(toOccurrences(known));
      },
      seek: (from) => {
        const [initial = ''] = from;
        const known = vocabularies.get(initial);
        return known === undefined ? noteMissing(missing.vocabularies, initial, undefined) : firstFrom(known, from);
      },
    });
    const isComplete = missing.counts.size + missing.postings.size + missing.vocabularies.size === 0;
    if (isComplete) return result;
    for (const [term, count] of await readCounts(database, sources, [...missing.counts])) counts.set(term, count);
    for (const term of missing.postings) postings.set(term, []);
    for (const { table, base } of sources) {
      for (const [term, found] of await readPostings(database, table, [...missing.postings])) {
        for (const posting of found) postings.get(term)?.push({ ...posting, key: posting.key + base });
      }
    }
    for (const initial of missing.vocabularies) {
      vocabularies.set(initial, await readVocabulary(database, sources, initial));
    }
  }
}

function noteMissing<Value>(missing: Set<string>, wanted: string, instead: Value): Value {
  missing.add(wanted);
  return instead;
}

async function readCounts(
  database: Queries,
  sources: readonly TermSource[],
  terms: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map(terms.map((term) => [term, 0]));
  if (terms.length === 0) return counts;
  for (const { table } of sources) {
    const { rows } = await sql<{ term: string; count: number }>`
      select term, sum(occurrences) as count from ${sql.table(`${table}_blocks`)} where term in ${texts(terms)}
      group by term`.execute(database);
    for (const { term, count } of rows) counts.set(term, (counts.get(term) ?? 0) + count);
  }
  return counts;
}

/** The terms that begin with a character, ordered by code points. */
async function readVocabulary(
  database: Queries,
  sources: readonly TermSource[],
  initial: string,
): Promise<readonly string[]> {
  const parts = sources.map(
    ({ table }) => sql`
      select term from ${sql.table(`${table}_blocks`)} where term >= ${initial} and starts_with(term, ${initial})`,
  );
  const { rows } = await sql<{ term: string }>`
    select distinct term from (${sql.join(parts, sql` union all `)}) as t order by term`.execute(database);
  return rows.map(({ term }) => term);
}

/** The first term that is not less than `from`, by binary search. */
function firstFrom(terms: readonly string[], from: string): string | undefined {
  let low = 0;
  let high = terms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareCodePoints(terms[middle] ?? '', from) < 0) low = middle + 1;
    else high = middle;
  }
  return terms[low];
}

/** One key per occurrence, negative if in the title. */
function toOccurrences(postings: readonly Posting[]): number[] {
  const occurrences: number[] = [];
  for (const { key, title, body } of postings) {
    for (let at = 0; at < title; at++) occurrences.push(-key);
    for (let at = 0; at < body; at++) occurrences.push(key);
  }
  return occurrences;
}

/** Lengths of the counted entries in these postings, with the number and mean length of all counted entries. */
function toLengths(
  all: Iterable<readonly Posting[]>,
  counted: KeySet,
  { entries, length }: { readonly entries: number; readonly length: number },
): ChunkLengths {
  const lists = [...all];
  const largest = lists.reduce((max, postings) => postings.reduce((min, { key }) => Math.max(min, key), max), 0);
  const lengths = new Int32Array(largest + 1).fill(-1);
  for (const postings of lists) {
    for (const posting of postings) if (counted.has(posting.key)) lengths[posting.key] = posting.length;
  }
  return {
    lengths,
    count: entries,
    mean: entries === 0 ? 0 : length / entries,
    scores: new Float64Array(largest + 1),
  };
}
