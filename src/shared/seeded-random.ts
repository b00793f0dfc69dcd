/** The generator mulberry32, 32 bits at a time: deterministic, small and fast, not cryptographically secure. */
export function seededBits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Uniform numbers in [0, 1). */
export function seededUniform(seed: number): () => number {
  const bits = seededBits(seed);
  return () => bits() / 2 ** 32;
}
