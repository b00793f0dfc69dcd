import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { OperationWatch } from '../operation-watch.ts';

/** Work that runs in a database thread. Arguments and result must be structured-cloneable. */
export type Operation = (database: DatabaseSync, args: never, watch: OperationWatch) => unknown;

/** Operations by name. */
export type Operations = Readonly<Record<string, Operation>>;

/** How a thread opens its connection. */
export interface SqliteThreadOptions {
  readonly path: string;
  readonly readOnly: boolean;
  /** Size of its page cache, if not the default of 64 MB. */
  readonly cacheKilobytes?: number;
}

export interface SqliteConnection extends SqliteThreadOptions {
  readonly cancelFlag: Int32Array<SharedArrayBuffer>;
}

export type SqliteTask =
  /** `begin` is executed first; if it fails, the query is not executed. */
  | {
      readonly kind: 'query';
      readonly sql: string;
      readonly parameters: readonly SQLInputValue[];
      readonly begin?: string | undefined;
    }
  /**
   * A whole transaction, by name. Large buffers among the arguments may be transferred instead of copied. With
   * `waitsForDisk` it is on disk at the end; otherwise a power failure may undo it. Small ones may share a commit.
   */
  | {
      readonly kind: 'transact';
      readonly name: string;
      readonly args: object;
      readonly waitsForDisk: boolean;
      /** Roughly how much it writes, in passages of a document. */
      readonly size: number;
    }
  | { readonly kind: 'call'; readonly operation: string; readonly args: unknown }
  /** Closes the connection; a writer leaves no write-ahead log behind. */
  | { readonly kind: 'close' };

export interface SqliteRows {
  readonly rows: unknown[];
  readonly changes: number;
  readonly lastInsertRowid: bigint;
}

export interface SqliteRequest {
  readonly id: number;
  readonly task: SqliteTask;
}

/** A thread has one connection at a time: it is told to open the next one after it has closed the previous one. */
export type SqliteMessage = { readonly open: SqliteConnection } | SqliteRequest;

/** An error serialised for transfer between threads. `serviceCode` is set when the operation threw a ServiceError. */
export interface SqliteFailure {
  readonly message: string;
  readonly serviceCode: string | null;
  readonly error: unknown;
}

export type SqliteReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: SqliteFailure };
