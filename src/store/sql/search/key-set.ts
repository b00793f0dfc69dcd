/** A set of integer keys with fast membership tests and little memory. */
export interface KeySet {
  readonly size: number;
  /** Ascending. Computed on access, which is rare for large sets. */
  readonly keys: readonly number[];
  has(key: number): boolean;
}

/** A key set that can be updated when the records change. */
export interface MutableKeySet extends KeySet {
  add(key: number): void;
  delete(key: number): void;
}

/** One bit for each key up to the largest. */
export function keySet(unsorted: readonly number[]): MutableKeySet {
  let bits = new Uint32Array((unsorted.reduce((largest, key) => Math.max(largest, key), 0) >>> 5) + 1);
  let size = 0;
  let sorted: readonly number[] | undefined;
  const has = (key: number): boolean => {
    const word = key >>> 5;
    return word < bits.length && ((bits[word] ?? 0) & (1 << (key & 31))) !== 0;
  };
  const add = (key: number): void => {
    if (has(key)) return;
    const word = key >>> 5;
    if (word >= bits.length) {
      const larger = new Uint32Array(Math.ceil((word + 1) * GROWTH));
      larger.set(bits);
      bits = larger;
    }
    bits[word] = (bits[word] ?? 0) | (1 << (key & 31));
    size++;
    sorted = undefined;
  };
  for (const key of unsorted) add(key);
  return {
    get size() {
      return size;
    },
    get keys() {
      sorted ??= keysIn(bits);
      return sorted;
    },
    has,
    add,
    delete(key) {
      if (!has(key)) return;
      bits[key >>> 5] = (bits[key >>> 5] ?? 0) & ~(1 << (key & 31));
      size--;
      sorted = undefined;
    },
  };
}

/** Leaves room for new keys, so that not every new key copies the whole array. */
const GROWTH = 1.1;

function keysIn(bits: Uint32Array): number[] {
  const keys: number[] = [];
  for (const [word, value] of bits.entries()) {
    for (let rest = value; rest !== 0; rest &= rest - 1) keys.push(word * 32 + 31 - Math.clz32(rest & -rest));
  }
  return keys;
}
