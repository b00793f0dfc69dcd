import type { Kysely } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { nameOfDatabase } from '../name-of-database.ts';
import type { Tables } from '../sql/schema.ts';
import { lastKnown, stateOfPostgres } from './migrate.ts';
import { openConnections } from './postgres-dialect.ts';

const SESSION = `set session characteristics as transaction isolation level repeatable read, read only;
  set idle_in_transaction_session_timeout = 0; set statement_timeout = 0`;

/**
 * Reads a consistent snapshot of the database over a separate connection while others continue to write. Throws
 * ServiceError if the schema is newer than this version of the program, which would omit what it does not know.
 */
export async function readOneState<Result>(
  url: string,
  work: (database: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const name = nameOfDatabase(url);
  const connection = openConnections({ name, url, size: 1, session: () => SESSION });
  try {
    return await connection.transaction().execute(async (transaction) => {
      const { last } = await stateOfPostgres(transaction, name);
      if (last !== undefined && Number.parseInt(last, 10) > lastKnown()) {
        const words = `The database ${name} has the schema of a newer version (${last}). Use that version of Citewell for this.`;
        throw new ServiceError('conflict', words);
      }
      return work(transaction);
    });
  } finally {
    await connection.destroy();
  }
}
