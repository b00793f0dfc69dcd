import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { nameOfDatabase } from '../name-of-database.ts';
import { openConnections } from '../postgres/postgres-dialect.ts';
import type { Tables } from '../sql/schema.ts';

/** The first version with iterative scans, which continue until enough hits pass a filter. */
const OLDEST = [0, 8] as const;

/** The version of the extension in this database. Throws ServiceError with the remedy if it cannot be used. */
export async function requireExtension(database: Kysely<Tables>, name: string): Promise<string> {
  const { rows } = await sql<{ installed: string | null; available: string | null }>`
    select (select extversion from pg_extension where extname = 'vector') as installed,
      (select default_version from pg_available_extensions where name = 'vector') as available`.execute(database);
  const { installed = null, available = null } = rows[0] ?? {};
  if (installed !== null && isRecent(installed)) return installed;
  const needed = `CITEWELL_VECTOR_INDEX=pgvector needs pgvector ${OLDEST.join('.')} or newer in the database ${name}`;
  if (available === null || !isRecent(available)) {
    const found = available === null ? 'its server does not have it' : `its server has ${available}`;
    throw new ServiceError(
      'not_configured',
      `${needed}, but ${found}. Install the package of pgvector for this version of PostgreSQL on the machine of the ` +
        'server, or leave out CITEWELL_VECTOR_INDEX.',
    );
  }
  const [state, statement] =
    installed === null
      ? ['it is not there yet', 'create extension vector']
      : [`it has ${installed}`, 'alter extension vector update'];
  throw new ServiceError(
    'not_configured',
    `${needed}, but ${state}. Connect to that database as a superuser (with a hosting provider, as the role that it ` +
      `gives for this, such as rds_superuser) and run: ${statement};`,
  );
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Describes the extension in this database for `doctor`. Throws ServiceError if it cannot be used. */
export async function describePgvector(url: string): Promise<string> {
  const name = nameOfDatabase(url);
  const connection = openConnections({ name, url, size: 1 });
  try {
    return `pgvector ${await requireExtension(connection, name)}, in the database`;
  } finally {
    await connection.destroy();
  }
}
