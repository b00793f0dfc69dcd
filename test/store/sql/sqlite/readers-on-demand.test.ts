import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { takeWorker } from '../../../../src/store/sql/sqlite/idle-workers.ts';
import { openSqlite } from '../../../../src/store/sql/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

it('a database reads with one thread until a query has to wait for it', async () => {
  // The threads that earlier databases have left.
  await Promise.all([takeWorker(), takeWorker()].map((worker) => worker.terminate()));
  let started = 0;
  const note = () => void started++;
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const sqlite = await openSqlite({ path: join(await temporaryFolder(), 'records.db'), readers: 3 });
  onTestFinished(sqlite.close);
  const read = () => sql`select 1`.execute(sqlite.reader);
  for (let query = 0; query < 3; query++) await read();
  expect(started).toBe(2);
  // Holds the only reader until another query has been answered.
  await sqlite.reader.connection().execute(async () => void (await read()));
  expect(started).toBe(3);
});
