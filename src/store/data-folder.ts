import { access, constants, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { currentProcess, isAlive, type ProcessIdentity } from './process-identity.ts';
import { readServerInfo } from './server-info.ts';

export { readServerInfo, removeServerInfo, writeServerInfo } from './server-info.ts';

/** The one folder everything is kept in, held by this process alone. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly databaseFile: string;
  readonly chromaFolder: string;
  readonly cacheFolder: string;
  /** Lets others have it. */
  close(): Promise<void>;
}

/**
 * Creates the folder if need be and takes it for this process. Throws `conflict` when another process has it, and
 * `not_configured` when it cannot be used.
 *
 * The system itself keeps the lock (SQLite's, on an empty file) and gives it up when the process ends in whatever way:
 * no lock is ever left over, and two processes cannot both find it free. `holder.json` only says who has it.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  await makeUsable(path);
  const lock = takeLock(join(path, 'lock'));
  if (lock === undefined) throw await conflict(path);

  const holderFile = join(path, 'holder.json');
  try {
    await writeHolder(holderFile);
  } catch (error) {
    lock.close();
    throw unusable(path, error);
  }
  return {
    path,
    databaseFile: join(path, 'citewell.db'),
    chromaFolder: join(path, 'chroma'),
    cacheFolder: join(path, 'cache'),
    async close() {
      if (!lock.isOpen) return;
      await rm(holderFile, { force: true });
      lock.close();
    },
  };
}

async function makeUsable(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error);
  }
}

// Not mkdir's own recursion, which goes round for ever where nothing can be made, as below /proc.
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

const BUSY = 5;

/** Undefined when another process, or this one, has it. */
function takeLock(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // Nothing is ever written, so no journal need lie beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (sqliteCode(error) === BUSY) return undefined;
    throw unusable(resolve(file, '..'), error);
  }
}

function sqliteCode(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined;
}

const holder = z.object({ pid: z.number().int().positive(), startTime: z.string() });

async function writeHolder(file: string): Promise<void> {
  const self: ProcessIdentity = await currentProcess();
  const unfinished = `${file}.${self.pid}`;
  await writeFile(unfinished, JSON.stringify(self), { mode: 0o600 });
  await rename(unfinished, file);
}

async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const found = holder.parse(JSON.parse(await readFile(join(path, 'holder.json'), 'utf8')));
    // It may be what an earlier holder left behind while the present one has not written yet.
    return (await isAlive(found)) ? found : undefined;
  } catch {
    return undefined;
  }
}

async function conflict(path: string): Promise<ServiceError> {
  const [server, process] = await Promise.all([readServerInfo(path), readHolder(path)]);
  const who = server
    ? `the server at ${server.url} (process ${server.pid})`
    : process
      ? `process ${process.pid}`
      : 'another process';
  return new ServiceError(
    'conflict',
    `The data folder ${path} is in use by ${who}. Stop it, or choose another folder with CITEWELL_DATA_DIR.`,
  );
}

/** Why a folder cannot be used, in words for people. */
function unusable(path: string, error: unknown): ServiceError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS.get(code) ?? (error instanceof Error ? error.message : String(error));
  return new ServiceError(
    'not_configured',
    `The data folder ${path} cannot be used: ${reason}. Set CITEWELL_DATA_DIR to a folder that this user may write.`,
    { cause: error },
  );
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'it is a file'],
  ['ENOTDIR', 'it, or something above it, is a file'],
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'it is on a read-only file system'],
  ['ENOSPC', 'the disk is full'],
  ['ENOENT', 'it cannot be made'],
]);
