import { expect, it } from 'vitest';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { vectorIndexContract } from '../../contracts/vector-index.ts';

vectorIndexContract('memoryVectorIndex', async () => memoryVectorIndex());

it('refuses requests while down, and reports when it is back', async () => {
  const index = memoryVectorIndex();
  const collection = await index.open('one', 2);
  await collection.upsert([{ key: 1, vector: Float32Array.of(1, 0) }]);
  let recoveries = 0;
  index.onRecovered(() => recoveries++);

  index.simulateOutage();
  await expect(collection.count()).rejects.toMatchObject({ code: 'store_failed' });
  expect(await index.isHealthy()).toBe(false);

  index.endOutage('empty');
  expect(recoveries).toBe(1);
  expect(await collection.count()).toBe(0);
});
