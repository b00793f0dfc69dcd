import type { Config } from '../config.ts';
import { installedGlibc } from '../store/chroma/glibc.ts';
import { startIdleWorkers } from '../store/sql/sqlite/idle-workers.ts';

/**
 * Starts the threads of an embedded database, which `openAdapters` takes over. To be called before the modules of
 * `openAdapters` are loaded, which takes about as long.
 */
export function startDatabaseThreads({ databaseUrl }: Config): void {
  if (databaseUrl !== undefined) return;
  // Needed for the embedded Chroma, and faster without threads.
  installedGlibc();
  startIdleWorkers();
}
