import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';
import type { searchOperations } from './search/search-operations.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Call } from './sqlite/sqlite-dialect.ts';

/** An open record database, of either engine. */
export interface Database {
  /**
   * For all writes, and for reads that must be consistent with a write. Inside a transaction use only the transaction:
   * it holds the single connection, and waiting for a second one would deadlock.
   */
  readonly writer: Kysely<Tables>;
  /** A transaction of the reader sees one state of the database. */
  readonly reader: Kysely<Tables>;
  /** Describes damage to the database found while the service runs, for users. */
  readonly problem: () => string | undefined;
  readonly search: { readonly call: Call<typeof searchOperations>; readonly dialect: SqlDialect };
  close(): Promise<void>;
}
