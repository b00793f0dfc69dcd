import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { repairDatabase } from '../../../src/cli/doctor-repair.ts';
import { openDataFolder } from '../../../src/store/data-folder.ts';
import { compactDatabase, freeSpaceIn } from '../../../src/store/sql/compact-database.ts';
import { openSqlite } from '../../../src/store/sql/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { earlierDatabase, LARGE, valueIn } from './earlier-database.ts';

it('vacuums a database of an earlier version, and enables incremental vacuum', async () => {
  const path = await earlierDatabase();
  expect(freeSpaceIn(path)).toMatchObject({ isReclaimed: false, share: expect.closeTo(0.5, 1) });
  const { before, after } = await compactDatabase(path);
  expect(after).toBeLessThan(before - 3_500_000);
  expect(freeSpaceIn(path)).toMatchObject({ bytes: 0, isReclaimed: true });
  expect(valueIn(path)).toBe(LARGE);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dirname(path))).toEqual(['citewell.db']);
});

it('is announced, done once, and not while another process holds the folder', async () => {
  const path = await earlierDatabase();
  const folder = dirname(path);
  const announced: string[] = [];
  const repair = () => repairDatabase(folder, (message) => announced.push(message));
  const held = await openDataFolder(folder);
  expect(await repair()).toMatchObject([{ state: 'wrong', detail: expect.stringContaining('is in use by process') }]);
  await held.close();
  expect(announced).toEqual([]);
  expect(await repair()).toMatchObject([{ state: 'ok', detail: expect.stringMatching(/rewritten, .* instead of/) }]);
  expect(announced).toEqual([expect.stringMatching(/^Rewriting .*citewell\.db /)]);
  expect(await repair()).toMatchObject([{ state: 'ok', detail: 'nothing to do' }]);
});

it('keeps the documents of a real store', async () => {
  const path = join(await temporaryFolder(), 'citewell.db');
  const sqlite = await openSqlite({ path });
  await sqlite.writer.insertInto('settings').values({ name: 'kept', value: 'here' }).execute();
  await sqlite.close();
  await compactDatabase(path);
  const again = await openSqlite({ path });
  expect(await again.reader.selectFrom('settings').selectAll().where('name', '=', 'kept').execute()).toHaveLength(1);
  await again.close();
});
