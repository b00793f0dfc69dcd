import { LruMap } from '../shared/lru-map.ts';

/** Who has logged in from where, for as long as the process lives. */
export interface KnownLogins {
  has(pair: string): boolean;
  add(pair: string): void;
}

/** Pairs remembered at once; beyond, those that logged in longest ago are forgotten. */
const MAX_PAIRS = 10_000;

export function createKnownLogins(most: number = MAX_PAIRS): KnownLogins {
  const pairs = new LruMap<string, true>({ max: most });
  return {
    has: (pair) => pairs.has(pair),
    add: (pair) => pairs.set(pair, true),
  };
}
