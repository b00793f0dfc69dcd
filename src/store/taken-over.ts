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

/** Another process has taken the task over, as after this one was suspended; what this one made of it is dropped. */
export class TakenOver extends ServiceError {
  constructor(documentId: string) {
    super('conflict', `Document ${documentId} is being ingested by another server, which took it over from this one.`);
  }
}
