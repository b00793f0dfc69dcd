import { ServiceError } from '../errors.ts';

/**
 * One try at ingesting a submission. If several processes share the database, the token distinguishes it from the try
 * of another process that took the task over.
 */
export interface HeldAttempt {
  /** Number of the submission. */
  readonly attempt: number;
  readonly token: number;
}

/** The submission that a write belongs to and, if necessary, the try. */
export type Attempt = number | HeldAttempt;

/**
 * The task no longer belongs to this process, e.g. after the process was suspended: it is back in the queue, or another
 * process has it. This process's results are discarded.
 */
export class AttemptTakenOver extends ServiceError {
  constructor(documentId: string) {
    super(
      'conflict',
      `This server no longer ingests the document ${documentId}: it is queued again, or another server has taken it over.`,
    );
  }
}
