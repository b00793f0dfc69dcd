import { seededUniform } from '../src/shared/seeded-random.ts';

/** A deterministic random generator. */
export interface Random {
  /** A uniform number in [0, 1). */
  next(): number;
  /** A uniform integer from `min` to `max`, inclusive. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** True with this probability. */
  chance(share: number): boolean;
  /** A generator derived from this one's current state. */
  fork(): Random;
}

/** The mulberry32 generator: small and fast, but not cryptographically secure. */
export function seededRandom(seed: number): Random {
  const next = seededUniform(seed);
  return {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (share) => next() < share,
    fork: () => seededRandom(Math.floor(next() * 2 ** 32)),
  };
}
