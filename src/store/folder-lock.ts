import { DatabaseSync } from 'node:sqlite';

/** A lock that the operating system holds and releases however the process ends. */
export interface FolderLock {
  readonly isHeld: boolean;
  release(): void;
}

/** Lock file in the data folder, held by the process that has the folder open. */
export const LOCK_FILE = 'lock';

/** Lock file held by the process that is about to open the folder once its current holder has ended. */
export const SUCCESSOR_FILE = 'lock-successor';

const BUSY = 5;

/** Locks an empty file with SQLite's lock. Undefined when another process, or this one, holds it. */
export function takeLock(file: string): FolderLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // Nothing is ever written, so no journal file is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return undefined;
    throw error;
  }
  const held = database;
  return {
    get isHeld() {
      return held.isOpen;
    },
    release: () => held.close(),
  };
}
