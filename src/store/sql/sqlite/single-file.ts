import { DatabaseSync } from 'node:sqlite';

/** Ends write-ahead logging, so that the database is a single file. No process may have the database open. */
export function makeSingleFile(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma journal_mode = delete');
  } finally {
    database.close();
  }
}
