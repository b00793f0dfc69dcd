import type { ChromaClient } from 'chromadb';
import type { VectorHit } from '../vector-index.ts';
import type { CallLimits } from './call-limits.ts';
import type { ServerRecovery } from './chroma-server.ts';
import type { DirectQuestion, DirectWrite } from './direct-calls.ts';

/** A connection to one Chroma server, embedded or remote. */
export interface ChromaConnection {
  /** Used in messages, e.g. `Chroma at https://chroma.example.com`. */
  readonly where: string;
  /** True when this process owns the server and all its data, so that damaged data may be deleted. */
  readonly isOurs: boolean;
  /**
   * A client with resolved tenant and database. Waits while the server starts. Aborting `signal` ends the requests of
   * this client. Throws `store_failed` when there is no server, `cancelled` when `signal` is aborted.
   */
  client(signal?: AbortSignal): Promise<ChromaClient>;
  /** Calls that bypass Chroma's client, for speed; absent if not supported. */
  readonly direct?: {
    /** Undefined if no server is running or it gave no result; the caller then queries through the Chroma client. */
    query(question: DirectQuestion, endings: readonly AbortSignal[]): Promise<VectorHit[] | undefined>;
    /** False if the server did not confirm the write; the caller then writes through the Chroma client. */
    upsert(write: DirectWrite, endings: readonly AbortSignal[]): Promise<boolean>;
  };
  readonly limits: CallLimits;
  /** Whether collections store the access scopes of their records, so that searches need fewer results. */
  readonly storesScopes: boolean;
  /** Aborted by `close`. */
  readonly closed: AbortSignal;
  /** Whether the server answers a heartbeat within a few seconds. */
  answers(signal: AbortSignal): Promise<boolean>;
  /** Reports that a call timed out; an embedded server that does not answer is restarted. */
  reportTimeout(): void;
  /** False while the server is known to be down, so that callers need not wait for a time-out. */
  isUp(): boolean;
  /** The names of all collections in the database, including those of other programs. */
  collectionNames(): Promise<string[]>;
  /** Registers a listener for the server's return after an outage. */
  onRecovered(listener: (recovery: ServerRecovery) => void): void;
  /** Deletes all data; only allowed if `isOurs`. */
  empty(): Promise<void>;
  close(): Promise<void>;
}
