import { LruMap } from '../shared/lru-map.ts';

/** Pairs of account and client address with a successful login, in memory only. */
export interface KnownLogins {
  has(pair: string): boolean;
  add(pair: string): void;
}

/** Maximum number of pairs; the least recent login is dropped first. */
const MAX_PAIRS = 10_000;

export function createKnownLogins(most: number = MAX_PAIRS): KnownLogins {
  const pairs = new LruMap<string, true>({ max: most });
  return {
    has: (pair) => pairs.has(pair),
    add: (pair) => pairs.set(pair, true),
  };
}
