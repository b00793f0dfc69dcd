import { Client } from 'pg';
import { toServiceError } from './postgres-errors.ts';
import { type RunQuery, serialiseQueries } from './serialise-queries.ts';

const CONNECT_WITHIN_MS = 10_000;

/**
 * Releases the lock of a vanished machine within seconds instead of the system's default of two hours. Not sent as
 * startup parameters, which PgBouncer rejects.
 */
const KEEP_ALIVE = `select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),
  set_config('tcp_keepalives_count', '2', false)`;

/** The connection over which a server keeps its membership alive. */
interface ServerConnection {
  readonly query: RunQuery;
  end(): Promise<void>;
}

/** Throws a ServiceError if the database cannot be reached or refuses the login. */
export async function connectServer(url: string, name: string, answerWithinMs: number): Promise<ServerConnection> {
  const client = new Client({
    connectionString: url,
    application_name: 'citewell',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: answerWithinMs,
  });
  // The next heartbeat notices the failure and reconnects.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(KEEP_ALIVE);
  } catch (error) {
    await client.end().catch(() => {});
    throw toServiceError(error, name);
  }
  return { query: serialiseQueries((each) => client.query(each)), end: () => client.end().catch(() => {}) };
}
