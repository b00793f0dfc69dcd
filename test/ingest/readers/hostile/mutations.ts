/** Seeded pseudo-random numbers. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Copies of a file, each with one to thirty of its bytes changed. */
export function* mutations(
  whole: Uint8Array,
  { seed, count }: { seed: number; count: number },
): Generator<Uint8Array, void> {
  const random = numbers(Math.imul(seed, 7_919));
  for (let round = 0; round < count; round++) {
    const changed = whole.slice();
    for (let bytes = 0; bytes <= round % 30; bytes++)
      changed[Math.floor(random.next().value * changed.length)] = Math.floor(random.next().value * 256);
    yield changed;
  }
}
