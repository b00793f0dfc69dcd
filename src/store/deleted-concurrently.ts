import { ServiceError } from '../errors.ts';

/** A row's parent was deleted between reading it and writing the row. Reading it again yields the precise error. */
export class DeletedConcurrently extends ServiceError {
  constructor(options?: ErrorOptions) {
    super('conflict', 'The parent record was deleted concurrently. Reload and try again.', options);
  }
}
