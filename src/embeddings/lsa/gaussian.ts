/** A generator of standard normal numbers, with the same sequence for the same seed on every machine. */
export function gaussian(seed: number): () => number {
  const uniform = mulberry(seed);
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      // Marsaglia's polar method: among its functions, only the logarithm may differ between machines, in the last bit.
      const one = 2 * uniform() - 1;
      const two = 2 * uniform() - 1;
      const square = one * one + two * two;
      if (square === 0 || square >= 1) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      spare = two * scale;
      return one * scale;
    }
  };
}

function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
