import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import { DATABASE_FILE } from '../store/data-folder.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import { findMissingOriginals, type OriginalsFound } from '../store/sql/originals/missing-originals.ts';
import { readPlace } from '../store/sql/originals/originals-place.ts';
import type { Tables } from '../store/sql/schema.ts';
import { sqliteDialect } from '../store/sql/sqlite/sqlite-dialect.ts';
import { startSqliteThread } from '../store/sql/sqlite/sqlite-thread.ts';
import { createThreadPool } from '../store/sql/sqlite/thread-pool.ts';
import { openOriginals } from './open-originals.ts';

/**
 * Which files of the records are not in their storage; servers may run meanwhile. Undefined where no files are kept
 * outside of the database.
 */
export async function compareOriginals(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'originals'>,
  signal?: AbortSignal,
): Promise<OriginalsFound | undefined> {
  const objects = await openOriginals(config);
  const place = objects && (await openReader(config));
  if (objects === undefined || place === undefined) return undefined;
  const { reader, close } = place;
  try {
    return (await readPlace(reader)) && (await findMissingOriginals({ reader, objects, signal }));
  } finally {
    await close();
  }
}

interface Reader {
  readonly reader: Kysely<Tables>;
  close(): Promise<void>;
}

/** Reads the records, and changes nothing; undefined where there are none yet. */
async function openReader({ dataDir, databaseUrl: url }: Pick<Config, 'dataDir' | 'databaseUrl'>) {
  return url === undefined ? openFile(join(dataDir, DATABASE_FILE)) : openAddress(url);
}

async function openFile(path: string): Promise<Reader | undefined> {
  if (!existsSync(path)) return undefined;
  const pool = createThreadPool([startSqliteThread({ path, readOnly: true })]);
  return {
    reader: new Kysely<Tables>({ dialect: sqliteDialect(pool, { readOnly: true }) }),
    close: () => pool.close(),
  };
}

async function openAddress(url: string): Promise<Reader | undefined> {
  const { readPostgresSchema } = await import('../store/postgres/postgres-schema.ts');
  if ((await readPostgresSchema(url)).last === undefined) return undefined;
  const { openConnections } = await import('../store/postgres/postgres-dialect.ts');
  const reader = openConnections({ name: nameOfDatabase(url), url, size: 1 });
  return { reader, close: () => reader.destroy() };
}
