import { sql, type Transaction } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/schema.ts';
import { settleFullText } from './full-text/postgres-full-text.ts';
import { migratePostgres } from './migrate.ts';
import { openConnections } from './postgres-dialect.ts';
import { postgresSql } from './postgres-sql.ts';
import { callOn } from './search/call-on.ts';

export interface PostgresOptions {
  /** `postgres://…`, or `postgresql:///name?host=/folder/of/the/socket`. */
  readonly url: string;
  /** Number of connections for reading. */
  readonly readers?: number;
}

const OLDEST_SERVER = 150_000;

/**
 * Opens a PostgreSQL database, creating or migrating its schema first. All writes of the process go through one
 * connection, as with SQLite, so that a transaction that reads before it writes needs no locks.
 */
export async function openPostgres({ url, readers = 4 }: PostgresOptions): Promise<Database> {
  const name = withoutPassword(url);
  const writer = openConnections({ name, url, size: 1, readOnly: false });
  const reader = openConnections({ name, url, size: readers, readOnly: true });
  const close = async () => {
    await reader.destroy();
    await writer.destroy();
  };
  try {
    await refuseUnusable(writer, name);
    await migratePostgres(writer, name);
  } catch (error) {
    await close();
    throw error;
  }
  beforeCommit(writer, settleFullText);
  return {
    writer,
    reader,
    problem: () => undefined,
    search: { call: callOn(reader), dialect: postgresSql },
    close,
  };
}

type Writer = ReturnType<typeof openConnections>;

async function refuseUnusable(writer: Writer, name: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding`.execute(writer);
  const [server] = rows;
  if (server === undefined || server.version < OLDEST_SERVER) {
    throw new ServiceError('store_failed', `The server of ${name} is older than PostgreSQL 15. Use a newer one.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new ServiceError(
      'store_failed',
      `The database ${name} has the encoding ${server.encoding}. Create it with: encoding 'UTF8' template template0`,
    );
  }
}

/** Lets `last` run at the end of each transaction, within it. */
function beforeCommit(writer: Writer, last: (transaction: Transaction<Tables>) => Promise<void>): void {
  const transaction = writer.transaction.bind(writer);
  writer.transaction = () => {
    const builder = transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) =>
      execute(async (running) => {
        const result = await work(running);
        await last(running);
        return result;
      });
    return builder;
  };
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'of CITEWELL_DATABASE_URL';
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}
