import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Reading, withSnapshot } from '../../../../src/store/sql/search/read-snapshot.ts';
import { storeCodeBlocks } from '../../../../src/store/sql/vector-codes/code-blocks.ts';
import { readCodes } from '../../../../src/store/sql/vector-codes/read-codes.ts';
import { openTestStore } from '../../../support/store.ts';

const DIMENSIONS = 4;
/** More than two blocks. */
const CODES = 20_000;

async function openWithCodes() {
  const store = await openTestStore();
  const [space] = await store.sqlite.reader.selectFrom('vector_spaces').select('key').execute();
  if (space === undefined) throw new Error('The corpus has no space.');
  const database = new DatabaseSync(store.path, { timeout: 60_000 });
  onTestFinished(() => database.close());
  // The chunks do not matter here.
  database.exec(`pragma foreign_keys = off; pragma synchronous = off;
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${CODES})
    insert into vector_codes (space_key, chunk_key, code) select ${space.key}, i * 2, randomblob(32) from n`);
  const blocks = () => database.prepare('select number from vector_codes_blocks order by number').all();
  const read = (limit = CODES) =>
    withSnapshot(database, { check: () => undefined }, (reading: Reading) => {
      const found = new Map<number, string>();
      for (let after = 0; ; ) {
        const part = readCodes(reading, { space: { key: space.key, dimensions: DIMENSIONS }, after, limit });
        const each = part.codes.length / part.keys.length;
        for (const [row, key] of part.keys.entries())
          found.set(key, Buffer.from(part.codes.subarray(row * each, (row + 1) * each)).toString('hex'));
        if (part.isEnd) return found;
        after = part.last;
      }
    });
  const storeBlocks = () => storeCodeBlocks(store.sqlite, { key: space.key }, new AbortController().signal);
  return { database, blocks, read, storeBlocks };
}

describe('codes that are stored in blocks', () => {
  it('equal those of the rows, and exist only for full blocks', async () => {
    const { blocks, read, storeBlocks } = await openWithCodes();
    const before = read();
    expect(before.size).toBe(CODES);
    await storeBlocks();
    expect(blocks()).toEqual([{ number: 0 }, { number: 1 }]);
    expect(read()).toEqual(before);
    // One block at a time.
    expect(read(1)).toEqual(before);
  });

  it('are dropped when one of their codes is removed, and stored again without it', async () => {
    const { database, blocks, read, storeBlocks } = await openWithCodes();
    await storeBlocks();
    const before = read();
    database.exec('delete from vector_codes where chunk_key = 20000');
    expect(blocks()).toEqual([{ number: 0 }]);
    before.delete(20_000);
    expect(read()).toEqual(before);
    await storeBlocks();
    expect(blocks()).toEqual([{ number: 0 }, { number: 1 }]);
    expect(read()).toEqual(before);
  });
});
