import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { DATABASE_FILE } from '../store/data-folder.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import type { OriginalsFound } from '../store/originals/originals-found.ts';
import { findMissingOriginals } from '../store/sql/originals/missing-originals.ts';
import { readPlace } from '../store/sql/originals/originals-place.ts';
import { readSqlite } from '../store/sql/sqlite/read-sqlite.ts';
import { openOriginals } from './open-originals.ts';

/**
 * Finds uploaded files that the records refer to but the object storage lacks. Servers may keep running. Undefined if
 * files are not stored outside of the database, or if there are no records.
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

/** Opens the records read-only; undefined if there are none yet. */
async function openReader({ dataDir, databaseUrl: url }: Pick<Config, 'dataDir' | 'databaseUrl'>) {
  const path = join(dataDir, DATABASE_FILE);
  if (url === undefined) return existsSync(path) ? readSqlite(path) : undefined;
  const { readPostgresSchema } = await import('../store/postgres/postgres-schema.ts');
  if ((await readPostgresSchema(url)).last === undefined) return undefined;
  const { openConnections } = await import('../store/postgres/postgres-dialect.ts');
  const reader = openConnections({ name: nameOfDatabase(url), url, size: 1 });
  return { reader, close: () => reader.destroy() };
}
