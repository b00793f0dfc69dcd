import type { PreparationJob } from './prepare-document.ts';

/** A message between processes is copied several times, so that larger files are handed over on disk. */
export const MAX_MESSAGE_BYTES = 8_000_000;

/** A job whose bytes are stored, and are brought to its reader without being read here. */
export interface StoredJob extends PreparationJob {
  readonly stored?: StoredBytes;
}

export interface StoredBytes {
  /** Writes them to a file that does not exist. */
  save(path: string): Promise<void>;
  read(): Promise<Uint8Array>;
}
