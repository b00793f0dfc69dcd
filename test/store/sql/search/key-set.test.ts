import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keySet } from '../../../../src/store/sql/search/key-set.ts';

const key = fc.oneof(fc.nat(200), fc.constantFrom(31, 32, 63, 64, 1_000_000));

it('A key set behaves like an ordered set, whatever is added and removed', () => {
  fc.assert(
    fc.property(fc.array(key), fc.array(fc.tuple(fc.boolean(), key)), (first, changes) => {
      const keys = keySet(first);
      const plain = new Set(first);
      for (const [adds, changed] of changes) {
        if (adds) keys.add(changed);
        else keys.delete(changed);
        if (adds) plain.add(changed);
        else plain.delete(changed);
        expect(keys.size).toBe(plain.size);
        expect(keys.has(changed)).toBe(adds);
      }
      expect(keys.keys).toEqual([...plain].sort((one, two) => one - two));
      expect(keys.has(2_000_000)).toBe(false);
    }),
  );
});
