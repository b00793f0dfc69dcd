import { describe, expect, it } from 'vitest';
import { GenerationCache } from '../../src/shared/generation-cache.ts';

describe('a cache of generations', () => {
  it('keeps entries that are used while others replace each other', () => {
    const cache = new GenerationCache<string, number>({ max: 8 });
    cache.set('used', 1);
    for (let key = 0; key < 100; key++) {
      cache.set(`other ${key}`, key);
      expect(cache.get('used')).toBe(1);
    }
    expect(cache.get('other 99')).toBe(99);
    expect(cache.get('other 50')).toBeUndefined();
  });

  it('holds at most as many entries as allowed', () => {
    const cache = new GenerationCache<number, number>({ max: 8 });
    const keys = Array.from({ length: 100 }, (_, key) => key);
    for (const key of keys) cache.set(key, key);
    expect(keys.filter((key) => cache.get(key) !== undefined).length).toBeLessThanOrEqual(8);
  });

  it('returns the last value of a key', () => {
    const cache = new GenerationCache<string, number>({ max: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('a', 3);
    expect(cache.get('a')).toBe(3);
  });
});
