import type { Kysely } from 'kysely';

import type { ClusterMember, OtherServers } from '../other-servers.ts';
import type { SharedState } from '../shared-state.ts';

import type { Transact } from './documents/ingestion-transactions.ts';
import type { PackedRanking } from './full-text/rank-within.ts';
import type { Tables } from './schema.ts';
import type { IndexedQuery } from './search/nearest-indexed.ts';
import type { NearestList } from './search/packed-hits.ts';
import type { MatchingQuery, searchOperations } from './search/search-operations.ts';
import type { SinglePassAnswer, SinglePassQuery } from './search/single-pass-search.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { DirectReader } from './sqlite/direct-reader.ts';
import type { OriginalToSave } from './sqlite/save-original.ts';
import type { Call } from './sqlite/sqlite-dialect.ts';
import type { Queries } from './vector-spaces/space-rows.ts';

export type Work = 'ingestion' | 'extraction' | 'summary';

/** What a server needs to know about the other servers that use the same database. */
export interface SharedRecords extends Omit<OtherServers, 'onTakeOver' | 'members'> {
  /** The processes that have the database open, oldest first. */
  members(database: Queries): Promise<readonly ClusterMember[]>;
  /** Keys of the documents that a running server works on; `others` leaves out this one. */
  documentsInProgress(database: Queries, work: Work, whose?: 'others'): Promise<readonly number[]>;
  /**
   * The token of this server's current attempt at the document; undefined if another server has taken it over. Every
   * later attempt, by any server, has a new token.
   */
  tokenOf(database: Queries, work: Work, document: number): Promise<number | undefined>;
  /** Removes servers that ended without signing off, and with them their claims on work. */
  removeEndedServers(database: Queries): Promise<void>;
  /** Releases this server's claims on work; attempts it has begun can write nothing more. */
  releaseOwnClaims(database: Queries): Promise<void>;
  /**
   * Calls the listener when the database has lost transactions that this server may have seen, as after a failover to a
   * replica that had not received them.
   */
  onReverted(listener: () => void): void;
  /** Calls the listener when a server has ended without signing off. */
  onGone(listener: () => void): void;
}

/** An open record database, of either engine. */
export interface Database {
  /**
   * For all writes, and for reads that must be consistent with a write. Inside a transaction, use only the transaction:
   * it holds the single connection, and waiting for a second one would deadlock.
   */
  readonly writer: Kysely<Tables>;
  /** Runs a named transaction on the writer; on SQLite this takes a single message to the connection's thread. */
  readonly transact: Transact;
  /** A transaction of the reader sees one state of the database. */
  readonly reader: Kysely<Tables>;
  /** Describes damage to the database found while the service runs, for users. */
  readonly problem: () => string | undefined;
  readonly search: {
    readonly call: Call<typeof searchOperations>;
    readonly dialect: SqlDialect;
    /** Whole searches in one call, if everything a search reads is in this database. */
    readonly singlePass?: {
      nearest(query: SinglePassQuery, signal?: AbortSignal): Promise<SinglePassAnswer>;
      rank(query: MatchingQuery, signal?: AbortSignal): Promise<PackedRanking>;
    };
    /** Reads few chunks in the calling thread. */
    readonly direct?: DirectReader;
    /** The best hits of a vector index inside the database; undefined if the index is outside it. */
    readonly nearestIndexed?: (query: IndexedQuery, signal?: AbortSignal) => Promise<NearestList>;
  };
  /** Writes a document's stored file to a new file; undefined if its bytes have to pass through the calling thread. */
  readonly saveOriginal?: (original: OriginalToSave) => Promise<boolean>;
  /** Undefined if only one process can have the database open. */
  readonly shared?: SharedRecords;
  readonly sharedState?: SharedState;
  close(): Promise<void>;
}
