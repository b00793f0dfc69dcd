import type { ChromaClient } from 'chromadb';
import type { ServerComeback } from './chroma-server.ts';

/** A way to one Chroma, embedded or remote. */
export interface ChromaConnection {
  /** For messages, e.g. `Chroma at https://chroma.example.com`. */
  readonly where: string;
  /** True when the server and all that is in it are ours, so that what is damaged may be thrown away. */
  readonly isOurs: boolean;
  /**
   * A client whose tenant and database are known. Waits while the server starts. Aborting `signal` ends the requests
   * of this client. Throws `store_failed` when there is no server, `cancelled` when the caller left.
   */
  client(signal?: AbortSignal): Promise<ChromaClient>;
  /** False while the server is known to be down, so that nobody need wait to find out. */
  isUp(): boolean;
  /** The names of all collections there, ours or not. */
  collectionNames(): Promise<string[]>;
  /** Told when the server came back after it was away. */
  onComeback(listener: (comeback: ServerComeback) => void): void;
  /** Throws everything away; only where `isOurs`. */
  empty(): Promise<void>;
  close(): Promise<void>;
}
