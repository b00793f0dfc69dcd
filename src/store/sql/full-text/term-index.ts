import type { Reading } from '../search/read-snapshot.ts';
import type { PassageLengths, TermTable } from './passage-lengths.ts';

/** What ranking by words needs to know of a set of passages. */
export interface TermIndex {
  readonly passages: PassageLengths;
  /** How often a term occurs, roughly: passages that are not of the set may be counted in. */
  count(term: string): number;
  /** Keys, one per occurrence and those of a passage together, negative when it stands in the title. */
  postings(term: string): readonly number[];
  /** The first term that is not before a text, in the order of code points. */
  seek(from: string): string | undefined;
}

/** The passages of one full-text index, which are those that can be seen now. */
export const presentTerms = (reading: Reading, table: TermTable): TermIndex => ({
  passages: reading.snapshot.lengthsOf(table),
  count: (term) => readCount(reading, table, term),
  postings: (term) => readPostings(reading, table, term),
  seek: (from) => seekTerm(reading, table, from),
});

/** The same for one operation that asks for terms more than once. */
export function remembering(index: TermIndex): TermIndex {
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

/** Of occurrences and not of terms: SQLite reads through all there are of a term to count them. */
export function seekTerm(reading: Reading, table: TermTable, from: string): string | undefined {
  const row = reading.row(`select term from temp.${table}_postings where term >= ? limit 1`, from);
  return row === undefined ? undefined : String(row[0]);
}

export const readCount = (reading: Reading, table: TermTable, term: string): number =>
  Number(reading.row(`select cnt from temp.${table}_counts where term = ?`, term)?.[0] ?? 0);

/** In ascending order of keys. JSON is the quickest way out of SQL. */
export function readPostings(reading: Reading, table: TermTable, term: string): number[] {
  const sql = `select json_group_array(case col when 'title' then -doc else doc end) from temp.${table}_postings where term = ?`;
  return JSON.parse(String(reading.row(sql, term)?.[0] ?? '[]')) as number[];
}
