import { expect, it } from 'vitest';
import { migrateDatabase, readDatabaseSchema } from '../../src/adapters/database-schema.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a data folder without a database lacks every step, and none once they are applied', async () => {
  const where = { dataDir: await temporaryFolder() };
  const before = await readDatabaseSchema(where);
  expect(before).toMatchObject({ last: undefined, newer: [] });
  expect(before.pending[0]).toBe('0001-records');
  await migrateDatabase(where, () => {});
  expect(await readDatabaseSchema(where)).toMatchObject({ last: before.pending.at(-1), pending: [] });
});
