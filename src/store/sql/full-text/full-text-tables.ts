import type { RawBuilder } from 'kysely';
import type { Queries } from '../vector-spaces/space-rows.ts';
import type { TermTable } from './chunk-lengths.ts';

/** The full-text indexes of a database. A query analyses as they do. */
export interface FullTextTables {
  /** Indexes the rows of a query for `key`, `title`, `heading_path` (a JSON text) and `text`. */
  add(database: Queries, table: TermTable, rows: RawBuilder<unknown>): Promise<void>;
  /** Removes the entries whose key is in a subquery or list of values; returns their number. */
  remove(database: Queries, table: TermTable, keys: RawBuilder<unknown>): Promise<number>;
  clear(database: Queries, table: TermTable): Promise<void>;
  /** Whether one of these keys has an entry. */
  hasAny(database: Queries, table: TermTable, keys: readonly number[]): Promise<boolean>;
}
