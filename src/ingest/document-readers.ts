import type { PreparedDocument } from './preparation-job.ts';
import type { StoredJob } from './stored-job.ts';

/** Reads files of all known types and splits them. */
export interface DocumentReaders {
  /** If false, pictures are rejected on submission. */
  readonly readsImages: boolean;
  /** If false, recordings are rejected on submission. */
  readonly readsRecordings: boolean;
  /** Maximum size in bytes of a file of any format; if undefined, the limits of the formats apply. */
  readonly maxFileBytes?: number | undefined;
  /** Throws ServiceError: the reader's own errors, `timeout`, `too_large`, `cancelled`. */
  prepare(job: StoredJob, signal: AbortSignal): Promise<PreparedDocument>;
  close(): Promise<void>;
}
