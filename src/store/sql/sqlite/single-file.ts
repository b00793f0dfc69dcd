import { DatabaseSync } from 'node:sqlite';

/** Makes a database that nobody has open one file, which is read without a write-ahead log beside it. */
export function makeSingleFile(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma journal_mode = delete');
  } finally {
    database.close();
  }
}
