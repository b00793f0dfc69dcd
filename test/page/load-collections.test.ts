import { expect, it } from 'vitest';
import { loadCollections } from '../../src/page/app/api/load-collections.ts';

const named = (name: string) => ({ id: `id of ${name}`, name, description: null, document_count: 0 });

it('loads all of many collections, each once, though one is made meanwhile', async () => {
  let all = Array.from({ length: 2_500 }, (_, at) => named(`Case ${2_500 - at}`));
  const offsets: number[] = [];
  const found = await loadCollections(undefined, async (offset) => {
    offsets.push(offset);
    const items = all.slice(offset, offset + 1_000);
    if (offset === 0) all = [named('Newest'), ...all];
    return { items, total: all.length };
  });
  expect(offsets).toEqual([0, 1_000, 2_000]);
  expect(found).toHaveLength(2_500);
  expect(new Set(found.map(({ id }) => id)).size).toBe(2_500);
  expect(found[0]?.name).toBe('Case 1');
});
