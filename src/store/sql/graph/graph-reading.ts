import type { SQLInputValue } from 'node:sqlite';
import { matchAny } from '../full-text/choose-terms.ts';
import type { Reading } from '../search/read-snapshot.ts';
import { likelyNames, NAMES_WITH_VECTORS } from './name-codes.ts';
import { readNameCodes } from './read-name-codes.ts';

type Row = readonly SQLInputValue[];

/** Data access of the graph search: SQL in SQLite's dialect, and the two full-text indexes of the graph. */
export interface GraphReading extends Pick<Reading, 'rows' | 'row'> {
  /** Number of rows of an index that contain a term. */
  rowsWith(table: 'graph_name_terms' | 'graph_community_terms', term: string): number;
  /** Keys and names that contain any of the terms, best first. */
  namesWith(terms: readonly string[]): Iterable<Row>;
  /**
   * Keys, names and vectors in the current space of the names whose vectors are probably the most similar to this one,
   * in no particular order; only among these keys, if given.
   */
  namesNear(vector: Float32Array, among: ReadonlySet<number> | undefined): Iterable<Row>;
  /** The columns of `COMMUNITY_COLUMNS`, and the rank of FTS5, best first. */
  communitiesWith(terms: readonly string[]): Iterable<Row>;
}

export const COMMUNITY_COLUMNS = 'c.key, c.collection_id, c.origin, c.name, c.summary, c.findings';
/** Maximum number of rows ranked. */
export const MAX_NAMES = 3_000;
export const MAX_COMMUNITIES = 500;

/** The graph of a SQLite database. */
export const graphReading = (reading: Reading): GraphReading => ({
  rows: reading.rows,
  row: reading.row,
  rowsWith: (table, term) => Number(reading.row(`select doc from temp.${table}_counts where term = ?`, term)?.[0] ?? 0),
  namesWith: (terms) => reading.rows(NAMES, matchAny(terms)),
  namesNear(vector, among) {
    const codes = readNameCodes(reading);
    if (codes === undefined) return [];
    const keys = likelyNames(codes, vector, (key) => among?.has(key) ?? true);
    return reading.rows(NAMES_WITH_VECTORS, JSON.stringify(keys), codes.set.spaceKey);
  },
  communitiesWith: (terms) => reading.rows(COMMUNITIES, matchAny(terms)),
});

const NAMES = `
  select t.rowid, n.name from graph_name_terms t cross join graph_names n on n.key = t.rowid
  where graph_name_terms match ? order by t.rank limit ${MAX_NAMES}`;

const COMMUNITIES = `
  select ${COMMUNITY_COLUMNS}, t.rank
  from graph_community_terms t cross join shown_graph_communities c on c.key = t.rowid
  where graph_community_terms match ? order by t.rank limit ${MAX_COMMUNITIES}`;
