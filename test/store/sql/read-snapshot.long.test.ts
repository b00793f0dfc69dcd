import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { rankByTerms } from '../../../src/store/sql/full-text/rank-by-terms.ts';
import { presentTerms } from '../../../src/store/sql/full-text/term-index.ts';
import type { OperationWatch } from '../../../src/store/sql/operation-watch.ts';
import { withSnapshot } from '../../../src/store/sql/search/read-snapshot.ts';
import { openSqlite } from '../../../src/store/sql/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const patient: OperationWatch = { check: () => undefined };

/** Ends the operation at its n-th check. */
function endingAt(last: number): OperationWatch {
  let count = 0;
  return {
    check() {
      if (++count >= last) throw new ServiceError('cancelled', 'Gone.');
    },
  };
}

async function openWithTerms(): Promise<DatabaseSync> {
  const path = `${await temporaryFolder()}/citewell.db`;
  await (await openSqlite({ path })).close();
  const database = new DatabaseSync(path);
  const add = database.prepare("insert into chunk_terms (rowid, title, body) values (?, '', ?)");
  for (const [key, body] of ['fox', 'fox hound', 'fox hound hare'].entries()) add.run(key + 1, body);
  return database;
}

describe('an operation over one view of the data', () => {
  it('ends in the middle of the rows of a statement, and leaves no transaction open', async () => {
    const database = await openWithTerms();
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n';
    let seen = 0;
    const counting = () =>
      withSnapshot(database, endingAt(5), (reading) => {
        for (const row of reading.rows(endless)) seen += row.length;
      });
    expect(counting).toThrow('Gone.');
    expect(seen).toBeGreaterThan(0);
    expect(database.isTransaction).toBe(false);
    database.close();
  });

  it('weights a repeated word sublinearly', async () => {
    const database = await openWithTerms();
    const score = (repeats: readonly (readonly [string, number])[]) =>
      withSnapshot(database, patient, (reading) => {
        const query = { terms: ['hare'], repeats, allowed: undefined, limit: 1 };
        return rankByTerms(presentTerms(reading, 'chunk_terms'), query)[0]?.score ?? 0;
      });
    expect(score([['hare', 4]]) / score([])).toBeCloseTo(3, 12);
    database.close();
  });

  it('does not leak an aborted ranking into the next one', async () => {
    const warm = await openWithTerms();
    const rank = (watch: OperationWatch, database = warm) =>
      withSnapshot(database, watch, (reading) =>
        rankByTerms(presentTerms(reading, 'chunk_terms'), {
          terms: ['hare', 'hound', 'fox'],
          allowed: undefined,
          limit: 3,
        }),
      );
    const before = rank(patient);
    expect(before.map(({ key }) => key)).toEqual([3, 2, 1]);
    // The postings are in memory by now, so little is read.
    expect(() => rank(endingAt(1))).toThrow('Gone.');
    expect(rank(patient)).toEqual(before);
    warm.close();
    for (const last of [1, 4, 6]) {
      const cold = await openWithTerms();
      expect(() => rank(endingAt(last), cold)).toThrow('Gone.');
      expect(rank(patient, cold)).toEqual(before);
      cold.close();
    }
  });
});
