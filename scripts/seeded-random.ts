/** A deterministic random generator. */
export interface Random {
  /** A uniform number in [0, 1). */
  next(): number;
  /** A uniform integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** True with this probability. */
  chance(share: number): boolean;
  /** A generator derived from this one's current state. */
  fork(): Random;
}

/** The mulberry32 generator: small and fast, but not cryptographically secure. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (share) => next() < share,
    fork: () => seededRandom(Math.floor(next() * 2 ** 32)),
  };
}
