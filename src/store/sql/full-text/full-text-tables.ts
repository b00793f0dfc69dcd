import type { RawBuilder } from 'kysely';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { termTables } from './chunk-lengths.ts';

/** The indexes of chunks, documents and their versions, and those of the graph, whose texts have no titles. */
export const indexTables = [...termTables, 'graph_name_terms', 'graph_community_terms'] as const;
export type IndexTable = (typeof indexTables)[number];

/** The full-text indexes of a database. Queries must use the same analyser. */
export interface FullTextTables {
  /** Indexes the rows of a query for `key`, `title`, `heading_path` (a JSON text) and `text`. */
  add(database: Queries, table: IndexTable, rows: RawBuilder<unknown>): Promise<void>;
  /** Removes the entries whose key is in a subquery or list of values; returns their number. */
  remove(database: Queries, table: IndexTable, keys: RawBuilder<unknown>): Promise<number>;
  clear(database: Queries, table: IndexTable): Promise<void>;
  /** Whether one of these keys has an entry. */
  hasAny(database: Queries, table: IndexTable, keys: readonly number[]): Promise<boolean>;
}
