import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildIfStale } from '../../scripts/build.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** An empty, already migrated database. */
    migratedDatabase: string;
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
  return () => rm(folder, { recursive: true, force: true });
}
