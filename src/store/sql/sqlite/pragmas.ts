import type { DatabaseSync } from 'node:sqlite';

/** The value of `pragma auto_vacuum` in a file whose free pages are returned on request. */
export const INCREMENTAL_VACUUM = 2;

/** The value of a pragma that is a number. */
export function pragmaNumber(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}
