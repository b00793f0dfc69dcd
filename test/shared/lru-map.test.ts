import { describe, expect, it } from 'vitest';
import { LruMap } from '../../src/shared/lru-map.ts';

const kept = (map: { has(key: string): boolean }) => ['a', 'b', 'c', 'd'].filter((key) => map.has(key)).join('');

describe('an LRU map', () => {
  it('evicts the least recently used entry; get and set count as use, has does not', () => {
    const map = new LruMap<string, number>({ max: 2 });
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    expect(map.has('b')).toBe(true);
    map.set('c', 3);
    expect(kept(map)).toBe('ac');
    map.set('a', 4);
    map.set('d', 5);
    expect(kept(map)).toBe('ad');
    expect(map.get('b')).toBeUndefined();
  });

  it('counts sizes, also of replaced and deleted entries, and names what it evicts', () => {
    const evicted: string[] = [];
    const map = new LruMap<string, string>({
      max: 5,
      sizeOf: ({ length }) => length,
      onEvict: (key) => evicted.push(key),
    });
    map.set('a', '1234');
    map.set('a', '1');
    map.set('b', '1234');
    expect(kept(map)).toBe('ab');
    map.delete('b');
    map.set('c', '12');
    map.set('d', '12');
    expect([kept(map), evicted]).toEqual(['acd', []]);
    map.set('b', '1234567');
    expect([kept(map), evicted]).toEqual(['b', ['a', 'c', 'd']]);
    map.clear();
    map.set('a', '12345');
    expect(kept(map)).toBe('a');
  });

  it('creates a missing value once', () => {
    const map = new LruMap<string, object>({ max: 1 });
    const made = map.getOrCreate('a', () => ({}));
    expect(map.getOrCreate('a', () => ({}))).toBe(made);
  });
});
