import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { dialectOf, type SqlDialect } from '../sql-dialect.ts';

/** Executes the statements for the engine of the database; for those whose syntax differs, such as triggers. */
export async function executeFor(
  database: Kysely<Tables>,
  statements: Readonly<Record<SqlDialect['name'], readonly string[]>>,
): Promise<void> {
  for (const statement of statements[dialectOf(database).name]) await sql.raw(statement).execute(database);
}
