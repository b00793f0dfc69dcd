import type { PreparationJob } from './preparation-job.ts';

/** Larger files are handed over on disk, because a message between processes is copied several times. */
export const MAX_MESSAGE_BYTES = 8_000_000;

/** A job whose bytes may be in the store, from where they reach the reader process without being loaded here. */
export interface StoredJob extends PreparationJob {
  readonly stored?: StoredBytes;
}

export interface StoredBytes {
  /** Writes the bytes to a new file at this path. */
  save(path: string): Promise<void>;
  read(): Promise<Uint8Array>;
}
