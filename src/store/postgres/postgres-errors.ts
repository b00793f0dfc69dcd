import { DatabaseError } from 'pg';
import { ServiceError } from '../../errors.ts';
import { errorMessage } from '../../shared/error-message.ts';
import { DeletedConcurrently } from '../deleted-concurrently.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const QUERY_CANCELED = '57014';
/** Error classes about the server rather than the query, which may be shown: full disk, lost connection, shutdown. */
const STATES = /^(?:08|53|57|58)/;
/** Invalid text representation or character, e.g. in metadata that is valid JSON but not storable as jsonb. */
const UNSTORABLE = /^22P0[25]$/;
/** Classes of login errors: role, password, database. */
const REFUSALS = /^(?:28|3D)/;

/** Converts the error of a query. Messages about the query itself name tables and values, so users do not see them. */
export function toServiceError(error: unknown, name: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = errorMessage(error);
  if (!(error instanceof DatabaseError)) {
    // Thrown by pg-pool, without an error code, when all connections are in use.
    if (message === 'timeout exceeded when trying to connect') {
      return new ServiceError(
        'store_failed',
        `All connections to the database ${name} were in use for too long. Try again when fewer requests are running.`,
        { cause: error, publicMessage: 'The database is busy. Try again later.' },
      );
    }
    if (message.startsWith('SASL')) return refused(name, error, message);
    return new ServiceError(
      'store_failed',
      `The database ${name} does not answer: ${message}. Check that PostgreSQL runs there, and CITEWELL_DATABASE_URL.`,
      { cause: error, publicMessage: 'The database does not answer.' },
    );
  }
  const code = error.code ?? '';
  if (REFUSALS.test(code)) return refused(name, error, message);
  if (code === FOREIGN_KEY_VIOLATION) return new DeletedConcurrently({ cause: error });
  if (UNSTORABLE.test(code) && /\bjson\b|Unicode escape/.test(message)) {
    return new ServiceError(
      'invalid_request',
      'PostgreSQL cannot store NUL characters or unpaired surrogates in metadata. Remove them and try again.',
      { cause: error },
    );
  }
  if (code === QUERY_CANCELED) {
    return new ServiceError('timeout', 'The database stopped a query that took too long.', { cause: error });
  }
  const reason = STATES.test(code) ? `: ${message}` : '; see the server log for the reason';
  return new ServiceError('store_failed', `The database operation on ${name} failed: ${message}.`, {
    cause: error,
    publicMessage: `The database operation failed${reason}.`,
  });
}

/** Whether pg abandoned a query because its answer did not arrive in time. */
export const isWithoutAnswer = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

/** The error for a query whose answer did not arrive in time, over a connection that may be dead. */
export const withoutAnswer = (error: unknown, name: string, withinMs: number): ServiceError =>
  new ServiceError(
    'store_failed',
    `The database ${name} has not answered a query within ${withinMs / 1000} s. Check that PostgreSQL runs there, and ` +
      'the network between. Whether a change was made is not known; the next query uses a new connection.',
    { cause: error, publicMessage: 'The database does not answer. Try again later.' },
  );

const refused = (name: string, error: unknown, message: string): ServiceError =>
  new ServiceError(
    'store_failed',
    `The database ${name} refuses the connection: ${message}. Check the user, password and name in CITEWELL_DATABASE_URL.`,
    { cause: error, publicMessage: 'The database refuses the connection.' },
  );

/** A name with several addresses, such as localhost, has an error for each of them and no message of its own. */
