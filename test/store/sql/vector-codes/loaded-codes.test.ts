import { expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../../../src/store/sql/database.ts';
import { loadedCodes } from '../../../../src/store/sql/vector-codes/loaded-codes.ts';
import type { CodesRead, CodesWanted } from '../../../../src/store/sql/vector-codes/read-codes.ts';
import type { SpaceRow } from '../../../../src/store/sql/vector-spaces/space-rows.ts';
import { testSpace } from '../../../support/store.ts';

const space = { ...testSpace, key: 1, collection: 'one', state: 'current', created_at: '' } as const satisfies SpaceRow;
const KEYS = 3;
const KEPT_MS = 1_000;

it('Codes stay in memory while searches need them, and are read again after a while without', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reads: number[] = [];
  const read = async ({ after }: CodesWanted): Promise<CodesRead> => {
    reads.push(after);
    const count = after === 0 ? KEYS : 0;
    return {
      keys: Int32Array.from({ length: count }, (_, key) => key + 1),
      codes: new Uint8Array(count * 32),
      last: KEYS,
      isEnd: true,
      series: 0,
    };
  };
  const codes = loadedCodes(((_: string, wanted: CodesWanted) => read(wanted)) as Database['search']['call'], KEPT_MS);
  const size = async () => (await codes.current(space))?.reduce((sum, { count }) => sum + count, 0);
  for (let turn = 0; turn < 3; turn++) {
    expect(await size()).toBe(KEYS);
    vi.advanceTimersByTime(KEPT_MS / 2);
  }
  expect(reads).toEqual([0, KEYS, KEYS]);
  vi.advanceTimersByTime(KEPT_MS);
  expect(await size()).toBe(KEYS);
  expect(reads).toEqual([0, KEYS, KEYS, 0]);
});
