import { sql } from 'kysely';
import { describe, inject, onTestFinished } from 'vitest';
import { type MemoryVectorIndex, memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openConnections } from '../../src/store/postgres/postgres-dialect.ts';
import { databaseUrl, startPostgres } from './postgres-server.ts';
import { asTestStore, embeddingText, openTestStore, type TestStore, type TestStoreOptions } from './store.ts';

/** A database engine that the record store runs on. */
export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL';
  openTestStore(options?: TestStoreOptions): Promise<TestStore>;
}

const sqlite: Engine = { name: 'SQLite', openTestStore };

const postgres: Engine = {
  name: 'PostgreSQL',
  openTestStore: async (options = {}) => open(await postgresDatabase(), memoryVectorIndex(), options),
};

async function open(url: string, index: MemoryVectorIndex, options: TestStoreOptions): Promise<TestStore> {
  const store = await openPostgresStore({ url, index, embeddingText, readers: 2, ...options });
  return asTestStore(store, { path: url, index, reopen: (again = options) => open(url, index, again) });
}

/** Defines tests for the engine of this run; those of PostgreSQL are skipped where it is not installed. */
export function describeEngines(name: string, define: (engine: Engine) => void): void {
  if (inject('engine') === 'SQLite') describe(`${name} on SQLite`, () => define(sqlite));
  else describePostgres(name, () => define(postgres));
}

/** Defines tests that need PostgreSQL; they run in the mode for it, where it is installed. */
export function describePostgres(name: string, define: () => void): void {
  const { bin } = inject('postgres');
  const missing = bin === undefined ? ' (not installed, see CONTRIBUTING.md)' : '';
  describe.skipIf(inject('engine') === 'SQLite' || bin === undefined)(`${name} on PostgreSQL${missing}`, define);
}

const TEMPLATE = 'citewell_template';
let started: Promise<void> | undefined;
let count = 0;

/** The address of an empty, migrated database, dropped with the running test. */
export async function postgresDatabase(): Promise<string> {
  const { bin, folder, runner } = inject('postgres');
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  started ??= startPostgres({ bin, folder, runner }, () => makeTemplate(folder));
  await started;
  const name = `test_${process.pid}_${++count}`;
  await administer(folder, `create database ${name} template ${TEMPLATE}`);
  onTestFinished(() => administer(folder, `drop database ${name} with (force)`));
  return databaseUrl(folder, name);
}

async function makeTemplate(folder: string): Promise<void> {
  await administer(folder, `create database ${TEMPLATE} template template0`);
  const options = { url: databaseUrl(folder, TEMPLATE), index: memoryVectorIndex(), embeddingText };
  await (await openPostgresStore(options)).close();
}

async function administer(folder: string, statement: string): Promise<void> {
  const url = databaseUrl(folder, 'postgres');
  const connection = openConnections({ name: url, url, size: 1 });
  try {
    await sql.raw(statement).execute(connection);
  } finally {
    await connection.destroy();
  }
}
