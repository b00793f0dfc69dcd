import { expect, it, onTestFinished } from 'vitest';
import { postgresSteps } from '../../../src/store/postgres/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts';
import type { Step, Steps } from '../../../src/store/sql/migrations/run-steps.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';

const nothing = (worksFrom: number): Step => ({ worksFrom, up: async () => {} });
const own: Steps = { ...postgresSteps, '9000-own': nothing(9000) };
const adding: Steps = { ...own, '9001-adds': nothing(9000) };
const contracting: Steps = { ...adding, '9002-contracts': nothing(9001) };

async function open(url: string, steps: Steps) {
  const database = await openPostgres({ url, readers: 1, schema: { steps } });
  onTestFinished(database.close);
  return database;
}

describePostgres('Servers of the version before', () => {
  it('keep running beside servers of the next version, which is refused while a migration step would break them', async () => {
    const url = await postgresDatabase();
    const old = await open(url, own);
    const next = await open(url, adding);
    const values = { name: 'written_by', value: 'the version before' };
    await old.writer
      .transaction()
      .execute((transaction) => transaction.insertInto('settings').values(values).execute());
    const read = next.reader.selectFrom('settings').selectAll().where('name', '=', 'written_by');
    expect(await read.execute()).toEqual([values]);

    await expect(open(url, contracting)).rejects.toThrow(
      /servers of earlier versions cannot work with, and 1 of them use it/,
    );
    await (await open(url, own)).close();
    await old.close();
    await open(url, contracting);
    await expect(open(url, own)).rejects.toThrow(/written by a newer version/);
    await open(url, adding);
    await next.close();
  });
});
