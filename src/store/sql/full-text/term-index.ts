import type { Reading } from '../search/read-snapshot.ts';
import type { ChunkLengths, TermTable } from './chunk-lengths.ts';
import { postingsOf } from './filter-vocabulary.ts';

/** Term statistics of a set of chunks, as needed for ranking. */
export interface TermIndex {
  readonly chunks: ChunkLengths;
  /** Approximate number of occurrences of a term: chunks outside the set may be included. */
  count(term: string): number;
  /** Keys, one per occurrence and grouped by chunk, negative for an occurrence in the title. */
  postings(term: string): readonly number[];
  /** The number of chunks with a term, if it can be read without the term's postings. */
  frequency?(term: string): number;
  /** The postings of terms in these chunks, read from their texts; undefined when they are too long. */
  among?(keys: readonly number[]): ((term: string) => readonly number[]) | undefined;
  /** The first term at or after a text, in code point order. */
  seek(from: string): string | undefined;
}

/** The chunks of one full-text index, which are the currently visible ones. */
export const presentTerms = (reading: Reading, table: TermTable): TermIndex => ({
  chunks: reading.snapshot.lengthsOf(table),
  count: (term) => readCount(reading, table, term),
  postings: (term) => readPostings(reading, table, term),
  seek: (from) => seekTerm(reading, table, from),
  ...(table === 'chunk_terms' && {
    frequency: (term: string) => readFrequency(reading, table, term),
    among: (keys: readonly number[]) => postingsOf(reading, keys),
  }),
});

/** Caches the answers for one operation that looks up terms more than once. */
export function memoized(index: TermIndex): TermIndex {
  const known = new Map<string, readonly number[]>();
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

export function readCount(reading: Reading, table: TermTable, term: string): number {
  const read = () => Number(reading.row(`select cnt from temp.${table}_counts where term = ?`, term)?.[0] ?? 0);
  const { known } = reading.snapshot.lengthsOf(table);
  return known === undefined ? read() : known.occurrences.getOrCreate(term, read);
}

const readFrequency = (reading: Reading, table: TermTable, term: string): number =>
  Number(reading.row(`select doc from temp.${table}_counts where term = ?`, term)?.[0] ?? 0);

/** In ascending order of keys. JSON is the fastest way to return them from SQL. */
export function readPostings(reading: Reading, table: TermTable, term: string): number[] {
  const sql = `select json_group_array(case col when 'title' then -doc else doc end) from temp.${table}_postings where term = ?`;
  return JSON.parse(String(reading.row(sql, term)?.[0] ?? '[]')) as number[];
}
