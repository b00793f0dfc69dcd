/** A fixed set of integer keys with fast membership tests and little memory. */
export interface KeySet {
  /** Ascending. */
  readonly keys: readonly number[];
  has(key: number): boolean;
}

export function keySet(unsorted: readonly number[]): KeySet {
  const keys = [...unsorted].sort((one, two) => one - two);
  const largest = keys.at(-1) ?? 0;
  const bits = new Uint32Array((largest >>> 5) + 1);
  for (const key of keys) bits[key >>> 5] = (bits[key >>> 5] ?? 0) | (1 << (key & 31));
  return { keys, has: (key) => key <= largest && ((bits[key >>> 5] ?? 0) & (1 << (key & 31))) !== 0 };
}
