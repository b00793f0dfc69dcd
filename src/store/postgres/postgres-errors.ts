import { DatabaseError } from 'pg';
import { ServiceError } from '../../errors.ts';
import { DeletedConcurrently } from '../deleted-concurrently.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const QUERY_CANCELED = '57014';
/** Classes of errors about the server rather than the query, which may be shown: full disk, lost connection, shutdown. */
const STATES = /^(?:08|53|57|58)/;

/** The error of a query, as the record store throws it. Messages about queries name tables and values and are not shown. */
export function toServiceError(error: unknown, name: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof DatabaseError ? (error.code ?? '') : '08000';
  if (code === FOREIGN_KEY_VIOLATION) return new DeletedConcurrently({ cause: error });
  if (code === QUERY_CANCELED) {
    return new ServiceError('timeout', 'The database stopped a query that took too long.', { cause: error });
  }
  const reason = STATES.test(code) ? `: ${message}` : '; the log of the service says why';
  return new ServiceError('store_failed', `The database ${name} could not do what was asked: ${message}.`, {
    cause: error,
    publicMessage: `The database operation failed${reason}.`,
  });
}
