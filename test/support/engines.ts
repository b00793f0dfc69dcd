import { sql } from 'kysely';
import { describe, inject, onTestFinished } from 'vitest';
import { type MemoryVectorIndex, memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openConnections } from '../../src/store/postgres/postgres-dialect.ts';
import { openPgvectorStore } from './pgvector-store.ts';
import { databaseUrl, startPostgres } from './postgres-server.ts';
import { asTestStore, embeddingText, openTestStore, type TestStore, type TestStoreOptions } from './store.ts';

/** A database engine that the record store runs on. */
export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL' | 'PostgreSQL with pgvector';
  openTestStore(options?: TestStoreOptions): Promise<TestStore>;
}

const sqlite: Engine = { name: 'SQLite', openTestStore };

const postgres: Engine = {
  name: 'PostgreSQL',
  openTestStore: async (options = {}) => open(await postgresDatabase(), memoryVectorIndex(), options),
};

const pgvector: Engine = {
  name: 'PostgreSQL with pgvector',
  openTestStore: async (options = {}) => openPgvectorStore(await pgvectorDatabase(), options),
};

async function open(url: string, index: MemoryVectorIndex, options: TestStoreOptions): Promise<TestStore> {
  const store = await openPostgresStore({ url, index, embeddingText, readers: 2, ...options });
  return asTestStore(store, { path: url, index, reopen: (again = options) => open(url, index, again) });
}

/** Defines tests for the engine of this run; the PostgreSQL tests are skipped if it is not installed. */
export function describeEngines(name: string, define: (engine: Engine) => void): void {
  if (inject('engine') === 'SQLite') describe(`${name} on SQLite`, () => define(sqlite));
  else describePostgres(name, () => define(postgres));
}

/** The same for vector tests, which also run on pgvector. */
export function describeVectorEngines(name: string, define: (engine: Engine) => void): void {
  describeEngines(name, define);
  describePgvector(name, () => define(pgvector));
}

/** Defines tests that need PostgreSQL; they are skipped in SQLite runs and if PostgreSQL is not installed. */
export function describePostgres(name: string, define: () => void): void {
  const { bin } = inject('postgres');
  const missing = bin === undefined ? ' (not installed, see CONTRIBUTING.md)' : '';
  describe.skipIf(inject('engine') === 'SQLite' || bin === undefined)(`${name} on PostgreSQL${missing}`, define);
}

/** Defines tests that need pgvector; they are skipped in SQLite runs and if pgvector is not found. */
export function describePgvector(name: string, define: () => void): void {
  const { bin } = inject('pgvector');
  const missing = bin === undefined ? ' (not found, see CONTRIBUTING.md)' : '';
  describe.skipIf(inject('engine') === 'SQLite' || bin === undefined)(`${name} on pgvector${missing}`, define);
}

const TEMPLATE = 'citewell_template';
let started: Promise<void> | undefined;
let startedPgvector: Promise<void> | undefined;
let count = 0;

/** Creates an empty, migrated database, dropped after the running test, and returns its URL. */
export async function postgresDatabase(): Promise<string> {
  const { bin, ...server } = inject('postgres');
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  started ??= startPostgres({ bin, ...server }, () => makeTemplate(server.folder));
  await started;
  return makeDatabase(server.folder);
}

/** The same on a server with pgvector; the extension is installed in the database. */
export async function pgvectorDatabase(atEnd: AtEnd = onTestFinished): Promise<string> {
  const { bin, ...server } = inject('pgvector');
  if (bin === undefined) throw new Error('There is no PostgreSQL with pgvector.');
  startedPgvector ??= startPostgres({ bin, ...server, hasIcu: false }, () => makeTemplate(server.folder, 'vector'));
  await startedPgvector;
  return makeDatabase(server.folder, atEnd);
}

/** Registers a clean-up function. */
type AtEnd = (end: () => Promise<void>) => void;

async function makeDatabase(folder: string, atEnd: AtEnd = onTestFinished): Promise<string> {
  const name = `test_${process.pid}_${++count}`;
  await administer(folder, `create database ${name} template ${TEMPLATE}`);
  atEnd(() => administer(folder, `drop database ${name} with (force)`));
  return databaseUrl(folder, name);
}

async function makeTemplate(folder: string, extension?: string): Promise<void> {
  await administer(folder, `create database ${TEMPLATE} template template0`);
  if (extension !== undefined) await administer(folder, `create extension ${extension}`, TEMPLATE);
  const options = { url: databaseUrl(folder, TEMPLATE), index: memoryVectorIndex(), embeddingText };
  await (await openPostgresStore(options)).close();
}

async function administer(folder: string, statement: string, database = 'postgres'): Promise<void> {
  const url = databaseUrl(folder, database);
  const connection = openConnections({ name: url, url, size: 1 });
  try {
    await sql.raw(statement).execute(connection);
  } finally {
    await connection.destroy();
  }
}
