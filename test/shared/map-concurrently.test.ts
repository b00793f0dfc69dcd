import { expect, it } from 'vitest';
import { mapConcurrently } from '../../src/shared/map-concurrently.ts';

it('gives results that need no work before it takes the next item', async () => {
  const log: string[] = [];
  const release = Promise.withResolvers<void>();
  async function* items() {
    for (const item of ['slow', 'known', 'quick']) {
      log.push(`takes ${item}`);
      yield item;
    }
  }
  const work = (item: string) =>
    item === 'known' ? item : item === 'slow' ? release.promise.then(() => item) : Promise.resolve(item);
  for await (const result of mapConcurrently(items(), 2, work)) {
    log.push(`gives ${result}`);
    if (result === 'quick') release.resolve();
  }
  expect(log).toEqual(['takes slow', 'takes known', 'gives known', 'takes quick', 'gives quick', 'gives slow']);
});
