import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import type { VectorIndex, VectorRecord } from '../../src/store/vector-index.ts';

const everything = { offset: 0, limit: 1000 };

/** Contract test for every VectorIndex. `open` returns an index without collections. */
export function vectorIndexContract(name: string, open: () => Promise<VectorIndex>): void {
  describe(`${name} keeps the VectorIndex contract`, () => {
    let index: VectorIndex;
    let collectionsMade = 0;
    beforeAll(async () => {
      index = await open();
    });
    afterAll(() => index.close());

    const nextName = () => `contract-${++collectionsMade}`;
    const openWith = async (records: readonly VectorRecord[], dimensions = 4) => {
      const collection = await index.open(nextName(), dimensions);
      if (records.length > 0) await collection.upsert(records);
      return collection;
    };

    it('is healthy', async () => {
      expect(await index.isHealthy()).toBe(true);
    });

    it('returns the nearest first, with its cosine distance', async () => {
      const collection = await openWith([
        { key: 3, vector: unit(0, 1, 0, 0) },
        { key: 1, vector: unit(1, 0, 0, 0) },
        { key: 2, vector: unit(1, 1, 0, 0) },
        { key: 4, vector: unit(-1, 0, 0, 0) },
      ]);
      const hits = await collection.nearest(unit(1, 0, 0, 0), 4);
      expect(hits.map((hit) => hit.key)).toEqual([1, 2, 3, 4]);
      const expected = [0, 1 - Math.SQRT1_2, 1, 2];
      for (const [place, hit] of hits.entries()) expect(hit.distance).toBeCloseTo(expected[place] ?? Number.NaN, 4);
    });

    it('returns no more than asked for, and all there are when asked for more', async () => {
      const collection = await openWith(circle(5));
      expect(await collection.nearest(unit(1, 0, 0, 0), 2)).toHaveLength(2);
      expect(await collection.nearest(unit(1, 0, 0, 0), 50)).toHaveLength(5);
    });

    it('finds nothing in an empty collection', async () => {
      const collection = await openWith([]);
      expect(await collection.nearest(unit(1, 0, 0, 0), 3)).toEqual([]);
      expect(await collection.count()).toBe(0);
      expect(await collection.keys(everything)).toEqual([]);
    });

    it('replaces the vector of a key it has', async () => {
      const collection = await openWith([{ key: 7, vector: unit(1, 0, 0, 0) }]);
      await collection.upsert([{ key: 7, vector: unit(0, 1, 0, 0) }]);
      expect(await collection.count()).toBe(1);
      const [hit] = await collection.nearest(unit(0, 1, 0, 0), 1);
      expect(hit?.key).toBe(7);
      expect(hit?.distance).toBeCloseTo(0, 4);
    });

    it('removes existing keys and ignores missing ones', async () => {
      const collection = await openWith(circle(4));
      await collection.remove([2, 999]);
      expect((await collection.keys(everything)).sort()).toEqual([1, 3, 4]);
      expect((await collection.nearest(unit(1, 0, 0, 0), 10)).map((hit) => hit.key).sort()).toEqual([1, 3, 4]);
    });

    it('accepts empty lists', async () => {
      const collection = await openWith(circle(1));
      await collection.upsert([]);
      await collection.remove([]);
      expect(await collection.count()).toBe(1);
    });

    it('keeps keys beyond 32 bits exactly', async () => {
      const key = 2 ** 40 + 1;
      const collection = await openWith([{ key, vector: unit(1, 0, 0, 0) }]);
      expect(await collection.keys(everything)).toEqual([key]);
      expect((await collection.nearest(unit(1, 0, 0, 0), 1))[0]?.key).toBe(key);
    });

    it('lists every key once, page by page, also after a load of several batches', async () => {
      const collection = await openWith(circle(2500));
      expect(await collection.count()).toBe(2500);
      const seen: number[] = [];
      for (let offset = 0; ; offset += 700) {
        const page = await collection.keys({ offset, limit: 700 });
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toHaveLength(2500);
      expect(new Set(seen).size).toBe(2500);
      const [hit] = await collection.nearest(circle(2500)[1233]?.vector ?? unit(1, 0, 0, 0), 1);
      expect(hit?.distance).toBeCloseTo(0, 4);
    });

    it('returns the same collection for the same name', async () => {
      const name = nextName();
      const one = await index.open(name, 4);
      await one.upsert(circle(3));
      const two = await index.open(name, 4);
      expect(await two.count()).toBe(3);
    });

    it('keeps collections apart, of different lengths too', async () => {
      const small = await openWith(circle(3));
      const large = await openWith([{ key: 1, vector: unit(1, 0, 0, 0, 0, 0, 0, 0) }], 8);
      expect(await small.count()).toBe(3);
      expect(await large.count()).toBe(1);
    });

    it('lists its collections without dropped ones', async () => {
      const name = nextName();
      await (await index.open(name, 4)).upsert(circle(3));
      expect(await index.list()).toContain(name);
      await index.drop(name);
      await index.drop(name);
      expect(await index.list()).not.toContain(name);
      expect(await (await index.open(name, 4)).count()).toBe(0);
    });

    it('refuses a vector of another length with store_failed', async () => {
      const collection = await openWith(circle(2));
      await expect(collection.upsert([{ key: 9, vector: unit(1, 0) }])).rejects.toBeInstanceOf(ServiceError);
      await expect(collection.nearest(unit(1, 0), 1)).rejects.toMatchObject({ code: 'store_failed' });
    });

    it('ends a search when its caller aborts', async () => {
      const collection = await openWith(circle(2));
      const gone = AbortSignal.abort(new Error('gone'));
      await expect(collection.nearest(unit(1, 0, 0, 0), 1, gone)).rejects.toThrow();
    });

    it('accepts concurrent writes', async () => {
      const collection = await openWith([]);
      const parts = Array.from({ length: 8 }, (_, part) =>
        circle(50).map(({ vector }, place) => ({ key: part * 50 + place + 1, vector })),
      );
      await Promise.all(parts.map((records) => collection.upsert(records)));
      expect(await collection.count()).toBe(400);
    });
  });
}

function unit(...components: number[]): Float32Array {
  const length = Math.hypot(...components);
  return Float32Array.from(components, (component) => component / length);
}

/** Records with keys from 1 and distinct directions. */
function circle(count: number): VectorRecord[] {
  return Array.from({ length: count }, (_, place) => {
    const angle = (2 * Math.PI * place) / count;
    return { key: place + 1, vector: unit(Math.cos(angle), Math.sin(angle), 0.3, 0) };
  });
}
