import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** Work that is done in a database thread, next to the data. Arguments and result must be cloneable. */
export type Operation = (database: DatabaseSync, args: never) => unknown;

/** Operations by name. */
export type Operations = Readonly<Record<string, Operation>>;

/** How a thread opens its connection. */
export interface SqliteThreadOptions {
  readonly path: string;
  readonly readOnly: boolean;
}

export type SqliteTask =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly kind: 'call'; readonly operation: string; readonly args: unknown }
  /** Ends the connection; a writer leaves no write-ahead log behind. */
  | { readonly kind: 'close' };

export interface SqliteRows {
  readonly rows: unknown[];
  readonly changes: number;
  readonly lastInsertRowid: number;
}

export interface SqliteRequest {
  readonly id: number;
  readonly task: SqliteTask;
}

/** An error as it crosses threads. `serviceCode` is set when the operation threw a ServiceError. */
export interface SqliteFailure {
  readonly message: string;
  readonly serviceCode: string | null;
  readonly error: unknown;
}

export type SqliteReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: SqliteFailure };
