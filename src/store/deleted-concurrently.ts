import { ServiceError } from '../errors.ts';

/** The parent of a row was deleted between reading it and writing the row. Reading again gives the precise error. */
export class DeletedConcurrently extends ServiceError {
  constructor(options?: ErrorOptions) {
    super('conflict', 'What this belongs to was deleted at the same time; look what is there and try again.', options);
  }
}
