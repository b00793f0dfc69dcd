import type { Kysely } from 'kysely';

import type { ClusterMember, OtherServers } from '../other-servers.ts';
import type { SharedState } from '../shared-state.ts';

import type { Transact } from './documents/ingestion-transactions.ts';
import type { Tables } from './schema.ts';
import type { AtOnceAnswer, AtOnceQuery } from './search/nearest-at-once.ts';
import type { NearestList } from './search/nearest-chunks.ts';
import type { IndexedQuery } from './search/nearest-indexed.ts';
import type { MatchingQuery, PackedRanking, searchOperations } from './search/search-operations.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { OriginalToSave } from './sqlite/save-original.ts';
import type { Call } from './sqlite/sqlite-dialect.ts';
import type { Queries } from './vector-spaces/space-rows.ts';

export type Work = 'ingestion' | 'extraction' | 'summary';

/** What a server has to know of others that use the same database. */
export interface SharedRecords extends Omit<OtherServers, 'onTakeOver' | 'members'> {
  /** The processes that have the database open, oldest first. */
  members(database: Queries): Promise<readonly ClusterMember[]>;
  /** Keys of the documents that a running server works on; `others` leaves out this one. */
  inWork(database: Queries, work: Work, whose?: 'others'): Promise<readonly number[]>;
  /**
   * The token of this server's present try at the document; undefined where another server has taken it over. A later
   * try, of any server, has another token.
   */
  tokenOf(database: Queries, work: Work, document: number): Promise<number | undefined>;
  /** Forgets servers that ended without a word; their work is nobody's then. */
  forgetGone(database: Queries): Promise<void>;
  /** Makes what this server works on nobody's work; what it has begun can write nothing more. */
  forgetOwnWork(database: Queries): Promise<void>;
  /**
   * Calls the listener when the database has lost what this server may have seen, as after a failover to a replica that
   * had not received the last transactions.
   */
  onReverted(listener: () => void): void;
  /** Calls the listener when a server has ended without a word. */
  onGone(listener: () => void): void;
}

/** An open record database, of either engine. */
export interface Database {
  /**
   * For all writes, and for reads that must be consistent with a write. Inside a transaction use only the transaction:
   * it holds the single connection, and waiting for a second one would deadlock.
   */
  readonly writer: Kysely<Tables>;
  /** Transactions of the writer that need no more than one message to the thread of its connection, where it has one. */
  readonly transact: Transact;
  /** A transaction of the reader sees one state of the database. */
  readonly reader: Kysely<Tables>;
  /** Describes damage to the database found while the service runs, for users. */
  readonly problem: () => string | undefined;
  readonly search: {
    readonly call: Call<typeof searchOperations>;
    readonly dialect: SqlDialect;
    /** What takes one call where all that a search reads is in one place. */
    readonly atOnce?: {
      nearest(query: AtOnceQuery, signal?: AbortSignal): Promise<AtOnceAnswer>;
      rank(query: MatchingQuery, signal?: AbortSignal): Promise<PackedRanking>;
    };
    /** The best hits of a vector index that is in the database; undefined where it is elsewhere. */
    readonly nearestIndexed?: (query: IndexedQuery, signal?: AbortSignal) => Promise<NearestList>;
  };
  /** Writes the stored file of a document to a new one; undefined where its bytes have to pass through this thread. */
  readonly saveOriginal?: (original: OriginalToSave) => Promise<boolean>;
  /** Undefined where only one process can have the database open. */
  readonly shared?: SharedRecords;
  readonly sharedState?: SharedState;
  close(): Promise<void>;
}
