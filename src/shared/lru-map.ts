export interface LruOptions<Key, Value> {
  /** Maximum number of entries or, with `sizeOf`, maximum sum of their sizes. */
  readonly max: number;
  readonly sizeOf?: (value: Value) => number;
  readonly onEvict?: (key: Key, value: Value) => void;
}

/** A map of bounded size that evicts the least recently used entries. `get` and `set` count as use. */
export class LruMap<Key, Value> {
  // A Map iterates in insertion order; entries are reinserted on use, so the first is the least recently used.
  readonly #entries = new Map<Key, Value>();
  readonly #options: LruOptions<Key, Value>;
  #size = 0;

  constructor(options: LruOptions<Key, Value>) {
    this.#options = options;
  }

  /** Whether the key has an entry; does not count as use. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Never evicts the entry just set, even if it alone exceeds the bound. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#options.max || oldest === key) return;
      this.delete(oldest);
      this.#options.onEvict?.(oldest, entry);
    }
  }

  /** The value of a key, created if absent. */
  getOrCreate(key: Key, create: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create();
    this.set(key, value);
    return value;
  }

  delete(key: Key): boolean {
    const value = this.#entries.get(key);
    if (value === undefined) return false;
    this.#size -= this.#sizeOf(value);
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  #sizeOf(value: Value): number {
    return this.#options.sizeOf?.(value) ?? 1;
  }
}
