import { ServiceError } from '../errors.ts';

/** What a row was to belong to was deleted between the look at it and the writing. Another look tells the rest. */
export class GoneMeanwhile extends ServiceError {
  constructor(options?: ErrorOptions) {
    super('conflict', 'What this belongs to was deleted at the same time; look what is there and try again.', options);
  }
}
