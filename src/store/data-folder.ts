import { existsSync } from 'node:fs';
import { access, constants, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import { writeWholeFile } from '../shared/write-whole-file.ts';
import { type FolderLock, LOCK_FILE, takeLock } from './folder-lock.ts';
import { restrictToOwner } from './private-folder.ts';
import { currentProcess, isAlive, type ProcessIdentity } from './process-identity.ts';
import { readServerInfo } from './server-info.ts';

/** The data folder, locked by this process. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly databaseFile: string;
  readonly chromaFolder: string;
  /** For files that are useless until complete. Deleted whenever the data folder is opened. */
  readonly unfinishedFolder: string;
  /** Releases the lock. */
  close(): Promise<void>;
}

/** Names in the data folder. */
export const DATABASE_FILE = 'citewell.db';
export const UNFINISHED = 'unfinished';

/**
 * Creates the folder if necessary and locks it for this process. Throws `conflict` when another process holds the lock,
 * and `not_configured` when the folder cannot be used.
 *
 * The operating system holds the lock (SQLite's, on an empty file) and releases it however the process ends: no stale
 * lock remains, and two processes cannot both acquire it. `holder.json` only names the holder.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  // Makes every file written by this process, its libraries and its children readable by this user only.
  if (isMainThread) process.umask(0o077);
  await makeUsable(path);
  const lock = lockFolder(path);
  if (lock === undefined) throw await conflict(path);

  const holderFile = join(path, 'holder.json');
  const unfinishedFolder = join(path, UNFINISHED);
  try {
    // Node loads its code for removing folders at the first use, which would delay each start.
    if (existsSync(unfinishedFolder)) await rm(unfinishedFolder, { recursive: true, force: true });
    await writeHolder(holderFile);
  } catch (error) {
    lock.release();
    throw unusable(path, error);
  }
  return {
    path,
    databaseFile: join(path, DATABASE_FILE),
    chromaFolder: join(path, 'chroma'),
    unfinishedFolder,
    async close() {
      if (!lock.isHeld) return;
      await rm(holderFile, { force: true });
      lock.release();
    },
  };
}

async function makeUsable(path: string): Promise<void> {
  let problem: string | undefined;
  try {
    await makeFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    problem = await restrictToOwner(path);
  } catch (error) {
    throw unusable(path, error);
  }
  if (problem === undefined) return;
  throw new ServiceError(
    'not_configured',
    `The data folder ${path} cannot be used: ${problem}. It holds documents and password hashes. Set ` +
      'CITEWELL_DATA_DIR to a new subfolder of it (created with mode 700), or run chmod 700 on the folder itself.',
  );
}

// mkdir's recursive option loops endlessly if nothing can be created, e.g. below /proc.
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

function lockFolder(path: string): FolderLock | undefined {
  try {
    return takeLock(join(path, LOCK_FILE));
  } catch (error) {
    throw unusable(path, error);
  }
}

const holder = z.object({ pid: z.number().int().positive(), startTime: z.string() });

async function writeHolder(file: string): Promise<void> {
  const self: ProcessIdentity = await currentProcess();
  await writeWholeFile(file, JSON.stringify(self));
}

async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const found = holder.parse(JSON.parse(await readFile(join(path, 'holder.json'), 'utf8')));
    // The file may be left over from an earlier holder while the current one has not written its own yet.
    return (await isAlive(found)) ? found : undefined;
  } catch {
    return undefined;
  }
}

async function conflict(path: string): Promise<ServiceError> {
  const [server, process] = await Promise.all([readServerInfo(path), readHolder(path)]);
  let who = 'another process';
  if (server !== undefined) who = `the server at ${server.url} (process ${server.pid})`;
  else if (process !== undefined) who = `process ${process.pid}`;
  return new ServiceError(
    'conflict',
    `The data folder ${path} is in use by ${who}. Stop it, or choose another folder with CITEWELL_DATA_DIR.`,
  );
}

/** The user-facing error that says why a folder cannot be used. */
function unusable(path: string, error: unknown): ServiceError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS.get(code) ?? errorMessage(error);
  return new ServiceError(
    'not_configured',
    `The data folder ${path} cannot be used: ${reason}. ${
      code === 'ENOSPC'
        ? 'Free some space, or set CITEWELL_DATA_DIR to a folder on another disk.'
        : 'Set CITEWELL_DATA_DIR to a folder that this user may write.'
    }`,
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
