import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildIfStale } from '../../scripts/build.js';
import { findPostgres, hasPgvector, stopPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of an empty, already migrated SQLite database. */
    migratedDatabase: string;
    /** The engine that the tests of the record store run on. */
    engine: 'SQLite' | 'PostgreSQL';
    /** Whether property tests draw new random cases or use the same seed in every run. */
    propertyCases: 'new' | 'same';
    /** The PostgreSQL server of this run, started on demand; `bin` is undefined if PostgreSQL is not installed. */
    postgres: { bin: string | undefined; folder: string; runner: number };
    /** The same for a PostgreSQL server with pgvector. */
    pgvector: { bin: string | undefined; folder: string; runner: number };
  }
}

/**
 * Runs once before the first test: compiles the sources, because threads and child processes are started from `dist`,
 * and creates the database that `migratedDatabase` copies.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildIfStale();
  project.onTestsRerun(buildIfStale);
  const folder = await mkdtemp(join(tmpdir(), 'citewell-migrated-'));
  const path = join(folder, 'citewell.db');
  const { openSqlite } = await import('../../src/store/sql/sqlite/open-sqlite.ts');
  await (await openSqlite({ path, readers: 0 })).close();
  project.provide('migratedDatabase', path);
  const postgres = await mkdtemp(join(tmpdir(), 'citewell-postgres-'));
  const bin = findPostgres();
  project.provide('postgres', { bin, folder: postgres, runner: process.pid });
  const pgvector = await mkdtemp(join(tmpdir(), 'citewell-pgvector-'));
  const withPgvector = [process.env['CITEWELL_TEST_PGVECTOR'], bin].find((folder) => folder && hasPgvector(folder));
  project.provide('pgvector', { bin: withPgvector, folder: pgvector, runner: process.pid });
  return async () => {
    await stopPostgres(postgres);
    await stopPostgres(pgvector);
    await rm(folder, { recursive: true, force: true });
  };
}
