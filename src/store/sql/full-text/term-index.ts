import type { Reading } from '../search/read-snapshot.ts';
import type { ChunkLengths, TermTable } from './chunk-lengths.ts';
import { postingsOf } from './filter-vocabulary.ts';
import { type Postings, toPostings } from './postings.ts';
import { readSegmentPostings } from './segment-postings.ts';

/** Term statistics of a set of chunks, as needed for ranking. */
export interface TermIndex {
  readonly chunks: ChunkLengths;
  /** Approximate number of occurrences of a term: chunks outside the set may be included. */
  count(term: string): number;
  postings(term: string): Postings;
  /** Whether the postings of a term are in memory, so that ranking by them costs little. */
  isInMemory?(term: string): boolean;
  /** The number of chunks with a term, if it can be read without the term's postings. */
  frequency?(term: string): number;
  /** The first term at or after a text, in code point order. */
  seek(from: string): string | undefined;
}

/** The chunks of one full-text index, which are the currently visible ones. */
export const presentTerms = (reading: Reading, table: TermTable): TermIndex => ({
  chunks: reading.snapshot.lengthsOf(table),
  count: (term) => cachedPostings(reading, table, term)?.occurrences ?? countAndCache(reading, table, term),
  postings: (term) => presentPostings(reading, table, term),
  seek: (from) => seekTerm(reading, table, from),
  ...(table === 'chunk_terms' && {
    isInMemory: (term: string) => cachedPostings(reading, table, term) !== undefined,
    frequency: (term: string) =>
      cachedPostings(reading, table, term)?.keys.length ?? readFrequency(reading, table, term),
  }),
});

/** From the cache, if the index has one. */
function presentPostings(reading: Reading, table: TermTable, term: string): Postings {
  const { postings } = reading.snapshot.lengthsOf(table);
  const known = cachedPostings(reading, table, term);
  if (known !== undefined) return known;
  const read = readPostings(reading, table, term);
  postings?.set(term, read);
  return read;
}

/** Postings that can be cached are read in the time in which FTS5 counts them. */
function countAndCache(reading: Reading, table: TermTable, term: string): number {
  const { postings, known } = reading.snapshot.lengthsOf(table);
  if (postings === undefined || known?.occurrences.has(term)) return readCount(reading, table, term);
  const read = readSegmentPostings(reading, table, { term, max: postings.maxOfTerm });
  if (read === undefined) return readCount(reading, table, term);
  postings.set(term, read);
  return read.occurrences;
}

function cachedPostings(reading: Reading, table: TermTable, term: string): Postings | undefined {
  const { postings, lengths } = reading.snapshot.lengthsOf(table);
  return postings?.get(term, ([first, last]) => {
    const keys: number[] = [];
    for (let key = first; key <= last; key++) if ((lengths[key] ?? -1) >= 0) keys.push(key);
    return postingsOf(reading, keys);
  });
}

/** Caches the answers for one operation that looks up terms more than once. */
export function memoized(index: TermIndex): TermIndex {
  const known = new Map<string, Postings>();
  return {
    ...index,
    postings(term) {
      const postings = known.get(term) ?? index.postings(term);
      known.set(term, postings);
      return postings;
    },
  };
}

/** Seeks among occurrences rather than terms: a row per term has counts, for which SQLite reads all its postings. */
export function seekTerm(reading: Reading, table: TermTable, from: string): string | undefined {
  const { known } = reading.snapshot.lengthsOf(table);
  const found = known?.first.get(from);
  if (found !== undefined) return found;
  const row = reading.row(`select term from temp.${table}_postings where term >= ? limit 1`, from);
  if (row === undefined) return undefined;
  const term = String(row[0]);
  known?.first.set(from, term);
  return term;
}

/** Caches the number of chunks with the term as well, which the same row has. */
export function readCount(reading: Reading, table: TermTable, term: string): number {
  const { known } = reading.snapshot.lengthsOf(table);
  return known === undefined
    ? readStatistics(reading, table, term)[0]
    : known.occurrences.getOrCreate(term, () => {
        const [occurrences, frequency] = readStatistics(reading, table, term);
        if (table === 'chunk_terms' && frequency > 0) known.frequencies.set(term, frequency);
        return occurrences;
      });
}

const readFrequency = (reading: Reading, table: TermTable, term: string): number =>
  readStatistics(reading, table, term)[1];

/** FTS5 reads all postings of the term for these. */
function readStatistics(
  reading: Reading,
  table: TermTable,
  term: string,
): readonly [occurrences: number, frequency: number] {
  const [occurrences, frequency] = reading.row(`select cnt, doc from temp.${table}_counts where term = ?`, term) ?? [];
  return [Number(occurrences ?? 0), Number(frequency ?? 0)];
}

export const readPostings = (reading: Reading, table: TermTable, term: string): Postings =>
  readSegmentPostings(reading, table, { term }) ?? selectPostings(reading, table, term);

/** JSON is the fastest way to return postings from SQL. */
function selectPostings(reading: Reading, table: TermTable, term: string): Postings {
  const sql = `select json_group_array(case col when 'title' then -doc else doc end) from temp.${table}_postings where term = ?`;
  return toPostings(JSON.parse(String(reading.row(sql, term)?.[0] ?? '[]')) as number[]);
}
