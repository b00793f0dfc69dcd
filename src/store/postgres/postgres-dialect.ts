import {
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  replaceWithNoncontingentExpression,
} from 'kysely';
import { type CustomTypesConfig, Pool, type PoolConfig, types } from 'pg';
import type { Tables } from '../sql/schema.ts';
import type { DialectOwner } from '../sql/sql-dialect.ts';
import { toServiceError } from './postgres-errors.ts';
import { postgresSql } from './postgres-sql.ts';

class Adapter extends PostgresAdapter implements DialectOwner {
  readonly sqlDialect = postgresSql;
}

export interface PostgresConnections {
  /** Without its password, for messages. */
  readonly name: string;
  readonly url: string;
  readonly size: number;
  /** Transactions see one state of the database, and nothing is written. */
  readonly readOnly: boolean;
}

/** Kysely over a pool of connections, answering in the types SQLite answers in. */
export function openConnections({ name, url, size, readOnly }: PostgresConnections): Kysely<Tables> {
  const config: PoolConfig = { connectionString: url, max: size, types: asInSqlite, application_name: 'citewell' };
  const pool = new Pool(config);
  // An idle connection that breaks is replaced at the next query; without a listener the process would end.
  pool.on('error', () => {});
  const dialect = new PostgresDialect({ pool: translated(pool, name, readOnly ? READ_ONLY : undefined) });
  dialect.createAdapter = () => new Adapter();
  return new Kysely<Tables>({
    dialect,
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
}

const READ_ONLY = 'set session characteristics as transaction isolation level repeatable read, read only';

/** The pool with errors and values of the record store. */
function translated(pool: Pool, name: string, prepare: string | undefined): PostgresPool {
  const prepared = new WeakSet<object>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const fail = (error: unknown) => {
        throw toServiceError(error, name);
      };
      const client = await pool.connect().catch(fail);
      if (prepare !== undefined && !prepared.has(client)) {
        await client.query(prepare).catch(fail);
        prepared.add(client);
      }
      return {
        query: (sql: string, parameters: readonly unknown[]) =>
          client.query(sql, parameters.map(toParameter)).catch(fail),
        release: () => client.release(),
      } as never;
    },
  };
}

// PostgreSQL stores no NUL in texts. The replacement is as long, so that offsets stay valid.
const toParameter = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;

const { builtins } = types;

/** Counts and keys as numbers, booleans as 0 and 1, JSON as text, bytes as plain arrays that are aligned for vectors. */
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
