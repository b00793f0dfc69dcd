import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { CopyEvent } from '../store/copy/copy-events.ts';
import type { Side } from '../store/copy/copy-progress.ts';
import { copyStore, verifyCopy } from '../store/copy/copy-store.ts';
import { DATABASE_FILE, openDataFolder } from '../store/data-folder.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import { openSqlite } from '../store/sql/sqlite/open-sqlite.ts';

/** Location of records: a PostgreSQL database, or a data folder with SQLite. */
export type RecordPlace =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly folder: string };

export const configuredPlace = ({ databaseUrl, dataDir }: Config): RecordPlace =>
  databaseUrl === undefined ? { kind: 'sqlite', folder: dataDir } : { kind: 'postgres', url: databaseUrl };

/** Reads `postgres://…`, `sqlite:FOLDER` or a folder. Throws `invalid_request` for anything else. */
export function toPlace(text: string, cwd: string): RecordPlace {
  if (/^postgres(?:ql)?:\/\//.test(text)) {
    if (URL.canParse(text) && /^\/[^/@]+$/.test(new URL(text).pathname)) return { kind: 'postgres', url: text };
    throw new ServiceError(
      'invalid_request',
      '--to is not the address of a database. Give one such as postgres://user:password@db.example.org/citewell, with % as ' +
        '%25 and / as %2F in the password.',
    );
  }
  const [, path = text] = /^sqlite:(.+)$/.exec(text) ?? [];
  if (path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path)) {
    throw new ServiceError('invalid_request', '--to takes postgres://… or sqlite:FOLDER, the data folder to write to.');
  }
  const full = resolve(cwd, path);
  return { kind: 'sqlite', folder: basename(full) === DATABASE_FILE ? dirname(full) : full };
}

export interface CopyOptions {
  readonly from: RecordPlace;
  readonly to: RecordPlace;
  readonly onlyVerify: boolean;
  /** Whether the source may be migrated to the schema of this version. */
  readonly mode: Config['databaseMigrate'];
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

/** Copies all records from one place to another, or compares them. Needs exclusive access to both. */
export async function* copyRecords(options: CopyOptions): AsyncGenerator<CopyEvent> {
  const { from, to, onlyVerify, mode, signal, report } = options;
  if (nameOf(from) === nameOf(to)) {
    throw new ServiceError('invalid_request', `The records are already in ${nameOf(to)}. Set --to to another place.`);
  }
  const source = await openPlace(from, { mode, mustExist: true, report });
  try {
    const target = await openPlace(to, { mode: await targetMode(to), mustExist: onlyVerify, report });
    try {
      yield* onlyVerify ? verifyCopy(source, target, signal) : copyStore(source, target, signal);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

export const nameOf = (place: RecordPlace): string =>
  place.kind === 'postgres' ? nameOfDatabase(place.url) : join(place.folder, DATABASE_FILE);

/** Only an empty target is migrated; one with a schema of another version is refused. */
export async function targetMode(place: RecordPlace): Promise<Config['databaseMigrate']> {
  if (place.kind === 'sqlite') return existsSync(nameOf(place)) ? 'off' : 'start';
  const { readPostgresSchema } = await import('../store/postgres/postgres-schema.ts');
  return (await readPostgresSchema(place.url)).last === undefined ? 'start' : 'off';
}

interface OpenOptions extends Pick<CopyOptions, 'mode' | 'report'> {
  readonly mustExist: boolean;
}

export async function openPlace(
  place: RecordPlace,
  { mode, mustExist, report }: OpenOptions,
): Promise<Side & { close(): Promise<void> }> {
  const name = nameOf(place);
  if (place.kind === 'postgres') {
    const { openPostgres } = await import('../store/postgres/open-postgres.ts');
    const database = await openPostgres({
      url: place.url,
      readers: 2,
      isAlone: true,
      isCopying: true,
      schema: { mode, report },
    });
    return { name, database, close: database.close };
  }
  if (mustExist && !existsSync(name)) {
    throw new ServiceError(
      'not_found',
      `There are no records in ${place.folder}. Set CITEWELL_DATA_DIR to their folder.`,
    );
  }
  const folder = await openDataFolder(place.folder);
  try {
    const database = await openSqlite({
      path: folder.databaseFile,
      readers: 2,
      report,
      isCopying: true,
      schema: { mode },
    });
    return {
      name,
      database,
      async close() {
        await database.close();
        await folder.close();
      },
    };
  } catch (error) {
    await folder.close();
    throw error;
  }
}
