import { sql } from 'kysely';
import { byteCount } from '../../shared/byte-count.ts';
import { nameOfDatabase } from '../name-of-database.ts';
import { stateOfPostgres } from './migrate.ts';
import { refuseUnusable } from './open-postgres.ts';
import { openConnections } from './postgres-dialect.ts';

/** Describes the database at this URL, for users. Throws ServiceError if it cannot be used. */
export async function describePostgres(url: string): Promise<string> {
  const name = nameOfDatabase(url);
  const one = openConnections({ name, url, size: 1 });
  const other = openConnections({ name, url, size: 1 });
  try {
    await refuseUnusable(one, other, name);
    const { rows } = await sql<{ version: string; bytes: number }>`
      select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`.execute(one);
    const version = `PostgreSQL ${rows[0]?.version.split(' ')[0]}`;
    const { last, pending } = await stateOfPostgres(one, name);
    if (last === undefined || pending.length > 0) return `${version}, prepared at the next start`;
    const running = await sql<{ count: number }>`select count(*) as count from cluster_servers_running`.execute(one);
    const count = running.rows[0]?.count ?? 0;
    return `${version}, ${byteCount(rows[0]?.bytes ?? 0)}, used by ${count} running ${count === 1 ? 'server' : 'servers'}`;
  } finally {
    await one.destroy();
    await other.destroy();
  }
}
