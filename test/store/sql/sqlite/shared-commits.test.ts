import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { Transact } from '../../../../src/store/sql/documents/ingestion-transactions.ts';
import {
  asSavepoint,
  performTogether,
  type TransactRequest,
  takeSharing,
} from '../../../../src/store/sql/sqlite/shared-commits.ts';
import type { SqliteMessage } from '../../../../src/store/sql/sqlite/sqlite-messages.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const request = (id: number, name: string, size = 1): TransactRequest => ({
  id,
  task: { kind: 'transact', name, args: {}, waitsForDisk: true, size },
});
const query: SqliteMessage = { id: 9, task: { kind: 'query', sql: 'select 1', parameters: [] } };

/** A database of names, with transactions that each insert their name and then do what the name says. */
async function openNames() {
  const path = join(await temporaryFolder(), 'names.db');
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; create table names (name text)');
  const other = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => {
    database.close();
    other.close();
  });
  const committed = () => other.prepare('select name from names').all();
  const perform = asSavepoint(database, (task) => {
    if (task.kind !== 'query') throw new Error('Only queries are performed.');
    if (task.begin !== undefined) database.exec(task.begin);
    database.exec(task.sql);
  });
  const execute = (sql: string, begin?: string) =>
    perform({ kind: 'query', sql, parameters: [], ...(begin && { begin }) });
  const transact = (async (name: string) => {
    execute(`insert into names values ('${name}')`, 'begin immediate');
    if (name === 'fails') {
      execute('rollback');
      throw new Error('This one fails.');
    }
    if (name === 'disk full') {
      database.exec('rollback');
      execute('rollback');
      throw new Error('The disk is full.');
    }
    execute('commit');
    return committed().length;
  }) as unknown as Transact;
  return { database, committed, transact };
}

it('small transactions at the head of the queue share a commit, in their order', () => {
  const queue: SqliteMessage[] = [request(1, 'a'), request(2, 'b', 40), query, request(3, 'c')];
  expect(takeSharing(queue).map(({ id }) => id)).toEqual([1, 2]);
  expect(queue).toEqual([query, request(3, 'c')]);
});

it('a transaction stands alone if it is large, or if none follows that may join it', () => {
  for (const queue of [[], [query], [request(1, 'a'), query], [request(1, 'a'), request(2, 'b', 256)]]) {
    const before = [...queue];
    expect(takeSharing(queue)).toEqual([]);
    expect(queue).toEqual(before);
  }
});

it('nothing of transactions that share a commit is visible before all have ended', async () => {
  const { database, committed, transact } = await openNames();
  const outcomes = await performTogether(database, [request(1, 'a'), request(2, 'b')], transact);
  expect(outcomes).toEqual([
    { id: 1, value: 0 },
    { id: 2, value: 0 },
  ]);
  expect(committed()).toEqual([{ name: 'a' }, { name: 'b' }]);
});

it('a transaction that fails is undone alone', async () => {
  const { database, committed, transact } = await openNames();
  const requests = [request(1, 'a'), request(2, 'fails'), request(3, 'b')];
  const outcomes = await performTogether(database, requests, transact);
  expect(outcomes).toEqual([
    { id: 1, value: 0 },
    { id: 2, error: new Error('This one fails.') },
    { id: 3, value: 0 },
  ]);
  expect(committed()).toEqual([{ name: 'a' }, { name: 'b' }]);
});

it('all have failed when the database has undone everything, and the next ones succeed', async () => {
  const { database, committed, transact } = await openNames();
  const error = new Error('The disk is full.');
  const outcomes = await performTogether(
    database,
    [request(1, 'a'), request(2, 'disk full'), request(3, 'b')],
    transact,
  );
  expect(outcomes).toEqual([1, 2, 3].map((id) => ({ id, error })));
  expect(committed()).toEqual([]);
  await performTogether(database, [request(4, 'c'), request(5, 'd')], transact);
  expect(committed()).toEqual([{ name: 'c' }, { name: 'd' }]);
});

it('all have failed when the commit fails', async () => {
  const { database, committed, transact } = await openNames();
  database.exec(`pragma foreign_keys = on; create table owners (name text primary key);
    create table owned (name text references owners (name) deferrable initially deferred)`);
  const owning = (async (name: string) => {
    await transact(name as never, {} as never);
    database.exec("insert into owned values ('nobody')");
  }) as unknown as Transact;
  const outcomes = await performTogether(database, [request(1, 'a'), request(2, 'b')], owning);
  expect(outcomes.map((outcome) => 'error' in outcome && String(outcome.error))).toEqual([
    expect.stringContaining('FOREIGN KEY'),
    expect.stringContaining('FOREIGN KEY'),
  ]);
  expect(committed()).toEqual([]);
  expect(database.isTransaction).toBe(false);
});
