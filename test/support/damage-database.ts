import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../../src/store/sql/sqlite/open-sqlite.ts';

const PAGE = 4_096;

/** Adds a long value that is not read at start-up, so that it fills the middle of the file. */
export async function addLongValue(path: string, length: number): Promise<void> {
  const sqlite = await openSqlite({ path });
  await sqlite.writer
    .insertInto('settings')
    .values({ name: 'long', value: 'x'.repeat(length) })
    .execute();
  await sqlite.close();
}

/** Zeroes four pages in the middle of the file, as a failing disk does. */
export async function zeroMiddle(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  await file.write(Buffer.alloc(4 * PAGE), 0, 4 * PAGE, Math.floor(size / 2 / PAGE) * PAGE);
  await file.close();
}

/** Number of the first page of a table or index, from 1. */
export function rootPageOf(path: string, name: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(name);
    return Number(row?.['rootpage']);
  } finally {
    database.close();
  }
}

export async function zeroPage(path: string, number: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(PAGE), 0, PAGE, (number - 1) * PAGE);
  await file.close();
}
