import { ServiceError } from '../errors.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import type { Finding } from './doctor-checks.ts';

/** Whether the PostgreSQL of CITEWELL_DATABASE_URL can be used; changes nothing there. */
export async function checkPostgres(url: string): Promise<Finding> {
  const name = 'Database';
  const { describePostgres } = await import('../store/postgres/describe-postgres.ts');
  try {
    return { name, state: 'ok', detail: `${nameOfDatabase(url)}: ${await describePostgres(url)}` };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { name, state: 'wrong', detail: error.message, fix: 'Nothing can be stored or found until then.' };
  }
}

/** Whether pgvector is installed in that database; changes nothing there. */
export async function checkPgvector(url: string): Promise<Finding> {
  const name = 'Vector index';
  const { describePgvector } = await import('../store/pgvector/extension.ts');
  try {
    return { name, state: 'ok', detail: await describePgvector(url) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { name, state: 'wrong', detail: error.message, fix: 'Citewell does not start until then.' };
  }
}
