/** Who has logged in from where, for as long as the process lives. */
export interface KnownLogins {
  has(pair: string): boolean;
  add(pair: string): void;
}

/** Pairs remembered at once; beyond, those that logged in longest ago are forgotten. */
const MAX_PAIRS = 10_000;

export function createKnownLogins(most: number = MAX_PAIRS): KnownLogins {
  // A set keeps the order of insertion, which here is that of the last login.
  const pairs = new Set<string>();
  return {
    has: (pair) => pairs.has(pair),
    add(pair) {
      pairs.delete(pair);
      pairs.add(pair);
      if (pairs.size > most) pairs.delete(pairs.values().next().value ?? '');
    },
  };
}
