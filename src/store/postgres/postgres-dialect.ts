import {
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  replaceWithNoncontingentExpression,
} from 'kysely';
import { type CustomTypesConfig, Pool, type PoolConfig, type QueryConfig, type QueryResult, types } from 'pg';
import type { ServiceError } from '../../errors.ts';
import type { Tables } from '../sql/schema.ts';
import type { DialectOwner } from '../sql/sql-dialect.ts';
import { isWithoutAnswer, toServiceError, withoutAnswer } from './postgres-errors.ts';
import { postgresSql } from './postgres-sql.ts';
import { nameOfStatement, type QuerySettings, settingAll, splitSettings } from './prepared.ts';
import { type RunQuery, serialiseQueries } from './serialise-queries.ts';

class Adapter extends PostgresAdapter implements DialectOwner {
  readonly sqlDialect = postgresSql;
}

export interface PostgresConnections {
  /** URL of the database without its password, for messages. */
  readonly name: string;
  readonly url: string;
  readonly size: number;
  /** Whether queries of a connection are pipelined, i.e. sent without waiting for the answers to earlier ones. */
  readonly isPipelined?: boolean;
  /** Returns a statement that prepares each new session. */
  readonly session?: () => string;
  /** Returns a statement to send together with the `begin` of each transaction; undefined for none. */
  readonly first?: () => string | undefined;
  /** Called with each new session, before its first query. */
  readonly onConnect?: (query: RunQuery) => Promise<void>;
  /** Time limit, read before each query; a late query fails and its connection is replaced. Undefined for none. */
  readonly answerWithinMs?: () => number | undefined;
}

/** Kysely over a connection pool, with results of the same types as SQLite's. */
export function openConnections(options: PostgresConnections): Kysely<Tables> {
  const { name, url, size, isPipelined = false, session, first, onConnect, answerWithinMs } = options;
  const config: PoolConfig = {
    connectionString: url,
    max: size,
    pipeline: isPipelined,
    types: asInSqlite,
    application_name: 'citewell',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  };
  const pool = new Pool(config);
  // A connection that breaks while idle or between queries is replaced at the next query. Without these listeners, the
  // error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const dialect = new PostgresDialect({
    pool: translated(pool, { name, prepare: session, first, onConnect, answerWithinMs }),
  });
  dialect.createAdapter = () => new Adapter();
  return new Kysely<Tables>({
    dialect,
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
}

/** Also the maximum time that a request waits for a free connection. */
const CONNECT_WITHIN_MS = 30_000;
/** Otherwise a query would wait two hours, the system's default, for a machine that has vanished. */
const KEEP_ALIVE_AFTER_MS = 10_000;

interface Translation {
  readonly name: string;
  readonly prepare: (() => string) | undefined;
  readonly first: (() => string | undefined) | undefined;
  readonly onConnect: PostgresConnections['onConnect'] | undefined;
  readonly answerWithinMs: PostgresConnections['answerWithinMs'];
}

/** Adapts the pool to the errors, values and time limits of the record store. */
function translated(pool: Pool, { name, prepare, first, onConnect, answerWithinMs }: Translation): PostgresPool {
  const prepared = new WeakSet<object>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const fail = (error: unknown) => {
        throw toServiceError(error, name);
      };
      const client = await pool.connect().catch(fail);
      if (!prepared.has(client)) {
        const query = serialiseQueries((each) => client.query({ ...each, ...limit(CONNECT_WITHIN_MS) }));
        try {
          if (prepare !== undefined) await query({ text: prepare() });
          await onConnect?.(query);
        } catch (error) {
          client.release(true);
          fail(error);
        }
        prepared.add(client);
      }
      let unanswered: ServiceError | undefined;
      return {
        query: async (whole: string, parameters: readonly unknown[]) => {
          // The connection still waits for an answer, so further statements, e.g. `rollback`, would time out as well.
          if (unanswered !== undefined) throw unanswered;
          const values = parameters.map(toParameter);
          const within = answerWithinMs?.();
          const { settings, rest } = splitSettings(whole);
          const text = rest === 'begin' ? [rest, first?.() ?? []].flat().join('; ') : rest;
          const statement = nameOfStatement(text);
          const named = statement === undefined ? {} : { name: statement };
          const config = { ...named, text, values, ...limit(within) };
          const answer = settings === undefined ? client.query(config) : queryWith(client, settings, config);
          const result = await answer.catch(async (error: unknown) => {
            if (!isWithoutAnswer(error)) {
              // If the statement sent with `begin` fails, Kysely assumes that there is no transaction to roll back.
              if (text !== rest) await client.query('rollback').catch(() => {});
              return fail(error);
            }
            unanswered = withoutAnswer(error, name, within ?? 0);
            throw unanswered;
          });
          // For several statements sent together, the result is that of the last one.
          return Array.isArray(result) ? result.at(-1) : result;
        },
        release: () => client.release(unanswered !== undefined),
      } as never;
    },
  };
}

/** Runs a query in its own transaction with these settings. A pipelined connection sends all of it together. */
async function queryWith(
  client: { query(config: QueryConfig): Promise<QueryResult> },
  settings: QuerySettings,
  config: QueryConfig & { readonly query_timeout?: number },
): Promise<QueryResult> {
  const { query_timeout } = config;
  const send = (text: string) => client.query({ text, ...limit(query_timeout) });
  const begun = send(`begin; ${settingAll(settings)}`);
  const [result] = await Promise.all([client.query(config), begun, send('commit')]);
  return result;
}

/** Per-query time limit, which pg supports although its types omit it. */
const limit = (within: number | undefined): object => (within === undefined ? {} : { query_timeout: within });

// PostgreSQL cannot store NUL in texts. The replacement has the same length, so that offsets stay valid.
const toParameter = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toParameter);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;
};

const { builtins } = types;

/** Reads counts and keys as numbers, booleans as 0 and 1, JSON as text, and bytes as arrays aligned for vectors. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
  [builtins.JSON]: (text) => text,
  [builtins.JSONB]: (text) => text,
  [builtins.BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
};

const asInSqlite: CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') => parsers[oid] ?? types.getTypeParser(oid, format)) as never,
};
