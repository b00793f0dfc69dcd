import { ServiceError } from '../errors.ts';

/**
 * One try at ingesting a submission. Where several processes share the database, the token tells it from the try of
 * another one that took the task over.
 */
export interface HeldTry {
  /** Number of the submission. */
  readonly attempt: number;
  readonly token: number;
}

/** Names the submission that a write belongs to, and where needed the try. */
export type Attempt = number | HeldTry;

/**
 * The task is not this process's any more, as after it was suspended: it waits in the queue, or another process has it.
 * What this one made of it is dropped.
 */
export class TakenOver extends ServiceError {
  constructor(documentId: string) {
    super(
      'conflict',
      `This server no longer ingests the document ${documentId}: it is queued again, or another server has taken it over.`,
    );
  }
}
