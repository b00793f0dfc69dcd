import { chmod, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import { findDamage } from './check-database.ts';
import { INCREMENTAL_VACUUM, pragmaNumber } from './sqlite/pragmas.ts';
import { startSqliteThread } from './sqlite/sqlite-thread.ts';

/** Unused space in a database file, and whether closing the database returns it to the file system. */
export interface FreeSpace {
  readonly bytes: number;
  readonly share: number;
  /** False in databases made before incremental vacuum; `compactDatabase` makes it true. */
  readonly isReclaimed: boolean;
}

/** Rethrows SQLite's error if the file cannot be read. */
export function freeSpaceIn(path: string): FreeSpace {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const free = pragmaNumber(database, 'freelist_count');
    return {
      bytes: free * pragmaNumber(database, 'page_size'),
      share: free / Math.max(1, pragmaNumber(database, 'page_count')),
      isReclaimed: pragmaNumber(database, 'auto_vacuum') === INCREMENTAL_VACUUM,
    };
  } finally {
    database.close();
  }
}

/**
 * Rewrites the database without free pages and enables incremental vacuum. The checked copy replaces the file
 * atomically, so an interruption leaves the old file. Requires the data folder's lock, an undamaged database, and as
 * much free disk space as the data in use.
 */
export async function compactDatabase(path: string): Promise<{ readonly before: number; readonly after: number }> {
  const compacted = `${path}.compacted`;
  // Left behind by an interrupted process.
  await rm(compacted, { force: true });
  try {
    const thread = startSqliteThread({ path, readOnly: false });
    try {
      await thread.perform({ kind: 'query', sql: 'vacuum into ?', parameters: [compacted] });
    } finally {
      // Folds the write-ahead log into the file and removes it: it must not be applied to the new one.
      await thread.close();
    }
    const logged = await stat(`${path}-wal`).catch(() => undefined);
    const damage = findDamage(compacted);
    if (logged !== undefined || damage.length > 0) {
      const reason = damage.length > 0 ? damage.join('; ') : 'another program has it open';
      throw new ServiceError('store_failed', `The database ${path} was not compacted and is unchanged: ${reason}.`);
    }
    const before = (await stat(path)).size;
    const after = (await stat(compacted)).size;
    await chmod(compacted, 0o600);
    await flush(compacted);
    await rename(compacted, path);
    await flush(dirname(path)).catch(() => undefined);
    return { before, after };
  } finally {
    await rm(compacted, { force: true });
    await rm(`${compacted}-journal`, { force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
