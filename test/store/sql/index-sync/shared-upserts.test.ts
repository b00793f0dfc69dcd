import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSharedUpserts } from '../../../../src/store/sql/index-sync/shared-upserts.ts';
import type { SpaceRow } from '../../../../src/store/sql/vector-spaces/space-rows.ts';

const space = (key: number): SpaceRow => ({
  key,
  embedder: 'test/angles',
  version: '1',
  dimensions: 4,
  collection: `space ${key}`,
  state: 'current',
  created_at: '',
});

it('executes the first request immediately, and batches those that arrive meanwhile', async () => {
  const calls: string[] = [];
  const upserts = createSharedUpserts(async ({ key }, keys) => {
    calls.push(`${key}: ${keys.join(' ')}`);
    await sleep(5);
  });
  await Promise.all([
    upserts.add(space(1), [1, 2]),
    upserts.add(space(1), [3]),
    upserts.add(space(2), [4]),
    upserts.add(space(1), [5, 6]),
  ]);
  await upserts.add(space(1), [7]);
  expect(calls).toEqual(['1: 1 2', '1: 3 5 6', '2: 4', '1: 7']);
});

it('reports a failed batch to all its requests, and goes on', async () => {
  let isDown = true;
  const upserts = createSharedUpserts(async () => {
    await sleep(1);
    if (isDown) throw new Error('The index is down.');
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map((key) => upserts.add(space(1), [key])));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isDown = false;
  await expect(upserts.add(space(1), [4])).resolves.toBeUndefined();
});
