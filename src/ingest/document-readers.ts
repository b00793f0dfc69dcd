import type { PreparedDocument } from './prepare-document.ts';
import type { StoredJob } from './stored-job.ts';

/** Reads files of all known types and splits them. */
export interface DocumentReaders {
  /** Without, pictures are refused when they are submitted. */
  readonly readsImages: boolean;
  /** Without, recordings are refused when they are submitted. */
  readonly readsRecordings: boolean;
  /** Largest file of any format in bytes; undefined leaves it to the formats. */
  readonly maxFileBytes?: number | undefined;
  /** Throws ServiceError: the reader's own, `timeout`, `too_large`, `cancelled`. */
  prepare(job: StoredJob, signal: AbortSignal): Promise<PreparedDocument>;
  close(): Promise<void>;
}
