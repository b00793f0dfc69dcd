import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/errors.ts';
import { findDamage } from '../../../../src/store/sql/check-database.ts';
import type { Database } from '../../../../src/store/sql/database.ts';
import { openSqlite } from '../../../../src/store/sql/sqlite/open-sqlite.ts';
import { startSqliteThread } from '../../../../src/store/sql/sqlite/sqlite-thread.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAMAGED = /is damaged \(.*restore a copy of the data folder/;
const setting = (name: string, value = 'x') => ({ name, value });

async function openTemporary() {
  const path = join(await temporaryFolder(), 'citewell.db');
  return { path, sqlite: await openSqlite({ path }) };
}

async function zeroPages(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(4 * 4_096), 0, 4 * 4_096, 10 * 4_096);
  await file.close();
}

describe('the embedded database', () => {
  it('shows committed writes to a reader', async () => {
    const { sqlite } = await openTemporary();
    await sqlite.writer.insertInto('settings').values(setting('a')).execute();
    const row = await sqlite.reader.selectFrom('settings').selectAll().where('name', '=', 'a').executeTakeFirst();
    expect(row).toEqual(setting('a'));
    await sqlite.close();
  });

  it('waits for no write to the disk when it is opened again', async () => {
    const { path, sqlite } = await openTemporary();
    await sqlite.close();
    const again = await openSqlite({ path });
    await again.writer.selectFrom('settings').selectAll().execute();
    expect((await stat(`${path}-wal`)).size).toBe(0);
    await again.close();
  });

  it('undoes a transaction that throws', async () => {
    const { sqlite } = await openTemporary();
    const broken = sqlite.writer.transaction().execute(async (transaction) => {
      await transaction.insertInto('settings').values(setting('b')).execute();
      throw new Error('stop here');
    });
    await expect(broken).rejects.toThrow('stop here');
    expect(await sqlite.reader.selectFrom('settings').select('name').where('name', '=', 'b').execute()).toEqual([]);
    await sqlite.close();
  });

  it('executes no query of a transaction that cannot begin', async () => {
    const { sqlite } = await openTemporary();
    await sqlite.writer.connection().execute(async (connection) => {
      await sql`begin`.execute(connection);
      const within = connection.transaction().execute(async (transaction) => {
        await transaction.insertInto('settings').values(setting('c')).execute();
      });
      await expect(within).rejects.toThrow(/within a transaction/);
    });
    expect(await sqlite.writer.selectFrom('settings').select('name').where('name', '=', 'c').execute()).toEqual([]);
    // The connection is as usable as before.
    await sqlite.writer.transaction().execute((each) => each.insertInto('settings').values(setting('d')).execute());
    await sqlite.writer.transaction().execute(async () => {});
    expect(await sqlite.reader.selectFrom('settings').select('name').where('name', '=', 'd').execute()).toHaveLength(1);
    await sqlite.close();
  });

  it('waits for the disk again after a transaction that does not, even if that one fails', async () => {
    const { sqlite } = await openTemporary();
    const waits = async () => {
      const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(sqlite.writer);
      return rows[0]?.synchronous;
    };
    const FULL = 2;
    expect(await waits()).toBe(FULL);
    await sqlite.transact('saveSourceItems', { id: 'unknown', pass: '1', items: [] });
    expect(await waits()).toBe(FULL);
    const failing = sqlite.transact('setStatus', { id: 'unknown', status: 'parsing', attempt: 1 });
    await expect(failing).rejects.toMatchObject({ code: 'not_found' });
    expect(await waits()).toBe(FULL);
    await sqlite.close();
  });

  it('reports a full disk, not the failed rollback', async () => {
    const { sqlite } = await openTemporary();
    await sql.raw('pragma max_page_count = 1').execute(sqlite.writer);
    const writing = sqlite.writer.transaction().execute(async (transaction) => {
      const value = 'x'.repeat(4_000_000);
      await transaction.insertInto('settings').values(setting('large', value)).execute();
    });
    await expect(writing).rejects.toMatchObject({
      message: expect.stringMatching(/citewell\.db failed: database or disk is full\. Free some space/),
      publicMessage: expect.stringMatching(/^The database operation failed: [^/]* Free some space on the disk/),
    });
    await sql.raw('pragma max_page_count = 1000000').execute(sqlite.writer);
    await sqlite.writer.transaction().execute((each) => each.insertInto('settings').values(setting('next')).execute());
    await sqlite.close();
  });

  it.each([
    [
      'emptied',
      (path: string) => truncate(path, 0),
      /is empty although it was created before.*Restore it from a backup/,
    ],
    ['gone', (path: string) => rm(path), /is missing although it was created before/],
    ['cut off', (path: string) => truncate(path, 40_960), DAMAGED],
    [
      'cut off in the middle of a page',
      (path: string) => stat(path).then(({ size }) => truncate(path, size - 2_048)),
      DAMAGED,
    ],
    ['overwritten at its beginning', (path: string) => writeFile(path, Buffer.alloc(4_096), { flag: 'r+' }), DAMAGED],
    ['overwritten in the middle', (path: string) => zeroPages(path), DAMAGED],
  ])('is refused when its file is %s, and not recreated', async (_, spoil, words) => {
    const { path, sqlite } = await openTemporary();
    await sqlite.close();
    await spoil(path);
    await expect(openSqlite({ path })).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(words),
    });
    if ((await stat(path).catch(() => undefined))?.size) expect(findDamage(path)).not.toEqual([]);
  });

  it('gives space back when it is closed', async () => {
    const { path, sqlite } = await openTemporary();
    const large = setting('large', 'x'.repeat(4_000_000));
    await sqlite.writer.insertInto('settings').values(large).execute();
    await sqlite.close();
    const { size } = await stat(path);
    const again = await openSqlite({ path });
    await again.writer.deleteFrom('settings').where('name', '=', 'large').execute();
    await again.close();
    expect((await stat(path)).size).toBeLessThan(size - 3_500_000);
  });

  it('is created where an earlier start was killed before creating it', async () => {
    const path = join(await temporaryFolder(), 'citewell.db');
    await writeFile(path, '');
    await (await openSqlite({ path })).close();
  });

  it('keeps the transactions of several callers apart', async () => {
    const { sqlite } = await openTemporary();
    await sqlite.writer.insertInto('settings').values(setting('count', '0')).execute();
    const add = () =>
      sqlite.writer.transaction().execute(async (transaction) => {
        const { value } = await transaction
          .selectFrom('settings')
          .select('value')
          .where('name', '=', 'count')
          .executeTakeFirstOrThrow();
        await transaction
          .updateTable('settings')
          .set({ value: String(Number(value) + 1) })
          .where('name', '=', 'count')
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, add));
    const { value } = await sqlite.reader
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'count')
      .executeTakeFirstOrThrow();
    expect(value).toBe('20');
    await sqlite.close();
  });

  it('reads while a write is under way', async () => {
    const { sqlite } = await openTemporary();
    await sqlite.writer.transaction().execute(async (transaction) => {
      await transaction.insertInto('settings').values(setting('c')).execute();
      const seen = await sqlite.reader.selectFrom('settings').select('name').where('name', '=', 'c').execute();
      expect(seen).toEqual([]);
    });
    await sqlite.close();
  });

  it('does not let a reader write', async () => {
    const { sqlite } = await openTemporary();
    await expect(sqlite.reader.insertInto('settings').values(setting('d')).execute()).rejects.toThrow(ServiceError);
    await sqlite.close();
  });

  it('answers a bad query with store_failed and its cause, and goes on', async () => {
    const { sqlite, path } = await openTemporary();
    const failed = await sql`select * from missing_table`.execute(sqlite.reader).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ServiceError);
    expect(failed).toMatchObject({ code: 'store_failed', message: expect.stringContaining(path) });
    expect((failed as ServiceError).cause).toMatchObject({ message: expect.stringContaining('no such table') });
    // File paths and table names appear in the log only.
    expect((failed as ServiceError).publicMessage).toBe(
      'The database operation failed; see the service log for the reason.',
    );
    expect((await sql<{ one: number }>`select 1 as one`.execute(sqlite.reader)).rows).toEqual([{ one: 1 }]);
    await sqlite.close();
  });

  it('reports a foreign key violation as a conflict', async () => {
    const { sqlite } = await openTemporary();
    const key = { id: 'k', public_key: 'p', secret_hash: 'h', name: '', description: null, updated_at: '' };
    const adding = sqlite.writer
      .insertInto('api_keys')
      .values({ ...key, user_id: 'nobody' })
      .execute();
    await expect(adding).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^The parent record was deleted/),
    });
    await sqlite.close();
  });

  it('ends an operation when its caller aborts, and serves the next', async () => {
    const { sqlite, path } = await openTemporary();
    const thread = startSqliteThread({ path, readOnly: true });
    const count = (phrases: number) => ({
      kind: 'call' as const,
      operation: 'countPhrases',
      args: { phrases: Array.from({ length: phrases }, () => ['"word"']), filter: null },
    });
    const leaving = new AbortController();
    const left = thread.perform(count(300_000), leaving.signal);
    const next = thread.perform(count(1));
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(await next).toEqual({ each: [0], all: 0 });
    await thread.close();
    await sqlite.close();
  });

  it('leaves one file behind when closed, and refuses work afterwards', async () => {
    const { sqlite, path } = await openTemporary();
    await sqlite.writer.insertInto('settings').values(setting('e')).execute();
    await sqlite.close();
    expect(existsSync(path)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
    await expect(sqlite.reader.selectFrom('settings').selectAll().execute()).rejects.toThrow('closed');
  });

  it('can be reopened with its data', async () => {
    const { sqlite, path } = await openTemporary();
    await sqlite.writer.insertInto('settings').values(setting('f')).execute();
    await sqlite.close();
    const again = await openSqlite({ path });
    expect(await again.reader.selectFrom('settings').selectAll().where('name', '=', 'f').execute()).toHaveLength(1);
    await again.close();
  });

  it('migrates an old database once, and a current one not at all', async () => {
    const { sqlite, path } = await openTemporary();
    const steps = () => sql<{ name: string }>`select * from kysely_migration order by name`.execute(sqlite.reader);
    const before = (await steps()).rows;
    expect(before.length).toBeGreaterThan(1);
    await sqlite.close();
    const again = await openSqlite({ path });
    const { rows } = await sql`select * from kysely_migration order by name`.execute(again.reader);
    expect(rows).toEqual(before);
    await again.close();
  });

  it('undoes a migration that fails half way', async () => {
    const { sqlite, path } = await openTemporary();
    await sql`delete from kysely_migration where name <> '0001-records'`.execute(sqlite.writer);
    await sql`drop table chunk_terms`.execute(sqlite.writer);
    await sqlite.close();
    await expect(openSqlite({ path })).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/could not be brought up to date at step 0002/),
    });
    const thread = startSqliteThread({ path, readOnly: true });
    const query = "select name from sqlite_master where name = 'chunk_terms'";
    expect(await thread.perform({ kind: 'query', sql: query, parameters: [] })).toMatchObject({ rows: [] });
    await thread.close();
  });

  it('refuses a database that a newer version has written', async () => {
    const { sqlite, path } = await openTemporary();
    await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(
      sqlite.writer,
    );
    await sql`update settings set value = '9999' where name = 'lowest_schema'`.execute(sqlite.writer);
    await sqlite.close();
    await expect(openSqlite({ path })).rejects.toThrow(/newer version of Citewell.*9999-from-the-future/);
  });

  it('says which file it is when the file is no database', async () => {
    const path = join(await temporaryFolder(), 'citewell.db');
    await writeFile(
      path,
      'This is not a database, it is a sentence that is long enough to be read as a header.'.repeat(9),
    );
    await expect(openSqlite({ path })).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining(path),
    });
  });

  it('does not keep the process alive, closed or idle', async () => {
    const path = join(await temporaryFolder(), 'citewell.db');
    const module = new URL('../../../../src/store/sql/sqlite/open-sqlite.ts', import.meta.url).href;
    const script = `const { openSqlite } = await import(${JSON.stringify(module)});
      const sqlite = await openSqlite({ path: process.argv[1] });
      await sqlite.writer.insertInto('settings').values({ name: 'a', value: 'b' }).execute();
      console.log('written');`;
    const run = promisify(execFile);
    for (const [index, ending] of ['', "await sqlite.close(); console.log('closed');"].entries()) {
      const source = `${script.replace("'a'", `'a${index}'`)}\n${ending}`;
      const { stdout } = await run(process.execPath, ['-e', source, path], {
        timeout: 10_000,
      });
      expect(stdout).toBe(index === 0 ? 'written\n' : 'written\nclosed\n');
    }
  });
});

describe('a database thread', () => {
  it('refuses work after it has ended', async () => {
    const thread = startSqliteThread({ path: join(await temporaryFolder(), 'x.db'), readOnly: false });
    const last = thread.perform({ kind: 'query', sql: 'select 1 as one', parameters: [] });
    await thread.close();
    await expect(last).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await expect(thread.perform({ kind: 'query', sql: 'select 1', parameters: [] })).rejects.toMatchObject({
      code: 'store_failed',
    });
  });

  it('returns row ids beyond 2^53, as the full-text index has them', async () => {
    const thread = startSqliteThread({ path: join(await temporaryFolder(), 'x.db'), readOnly: false });
    const perform = (sql: string) => thread.perform({ kind: 'query', sql, parameters: [] });
    await perform('create table numbered (id integer primary key)');
    const insert = 'insert into numbered values (9007199254740993)';
    expect(await perform(insert)).toMatchObject({ changes: 1, lastInsertRowid: 9_007_199_254_740_993n });
    expect(await perform('delete from numbered')).toMatchObject({ changes: 1 });
    await thread.close();
  });

  it('binds booleans and bytes', async () => {
    const { sqlite } = await openTemporary();
    const row = await sql<{ yes: number; bytes: Uint8Array }>`select ${true} as yes, ${new Uint8Array([1, 2])} as bytes`
      .execute(sqlite.reader)
      .then(({ rows }) => rows[0]);
    expect(row).toEqual({ yes: 1, bytes: new Uint8Array([1, 2]) });
    await sqlite.close();
  });
});

describe('a transaction within the thread', () => {
  const submission = (id: string, object: string | null = null) => ({
    id,
    ownerId: 'somebody',
    settings: {},
    submitted: {
      type: 'txt',
      title: id,
      metadata: {},
      source: null,
      fileName: `${id}.txt`,
      mediaType: 'text/plain',
      sizeInBytes: 1,
      contentHash: id,
      collectionIds: [],
    },
    bytes: Uint8Array.of(1),
    object,
    replace: false,
    queued: true,
  });
  const documents = ({ reader }: Database) => reader.selectFrom('documents').select(['id', 'attempt']).execute();

  it('is complete before the connection closes', async () => {
    const { path, sqlite } = await openTemporary();
    const ended: string[] = [];
    const begun = sqlite.transact('begin', submission('a')).finally(() => ended.push('transaction'));
    await sqlite.close();
    ended.push('connection');
    expect(await begun).toMatchObject({ id: 'a', ingestionStatus: 'pending' });
    expect(ended).toEqual(['transaction', 'connection']);
    expect(existsSync(`${path}-wal`)).toBe(false);
    await expect(sqlite.transact('begin', submission('b'))).rejects.toMatchObject({ code: 'store_failed' });
  });

  it('is undone when it fails, and says why', async () => {
    const { sqlite } = await openTemporary();
    // Noticed after the record has been written.
    await expect(sqlite.transact('begin', submission('a', 'removed'))).rejects.toThrow(/took too long/);
    expect(await documents(sqlite)).toEqual([]);
    await sqlite.transact('begin', submission('a'));
    await expect(sqlite.transact('begin', submission('a'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^Document a is being ingested \(pending\)/),
    });
    const late = { id: 'a', failure: { reason: 'No.', remedy: 'file' }, attempt: 2 } as const;
    await expect(sqlite.transact('fail', late)).rejects.toThrow(/submitted again/);
    expect(await documents(sqlite)).toEqual([{ id: 'a', attempt: 1 }]);
    await sqlite.close();
  });

  it('takes its turn with others of the same connection', async () => {
    const { sqlite } = await openTemporary();
    const seen: string[] = [];
    let second: Promise<unknown> | undefined;
    await sqlite.writer.transaction().execute(async (transaction) => {
      await transaction.insertInto('settings').values(setting('a')).execute();
      second = sqlite.transact('begin', submission('a')).then(() => seen.push('second'));
      for (let each = 0; each < 3; each++) await transaction.selectFrom('settings').selectAll().execute();
      seen.push('first');
    });
    await second;
    expect(seen).toEqual(['first', 'second']);
    await sqlite.close();
  });
});
