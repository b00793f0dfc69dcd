export interface LruOptions<Key, Value> {
  /** Most entries kept at once, or with `sizeOf` the sum of their sizes. */
  readonly max: number;
  readonly sizeOf?: (value: Value) => number;
  readonly onEvict?: (key: Key, value: Value) => void;
}

/** A map of bounded size. `get` and `set` count as use; beyond the bound the least recently used entries go. */
export class LruMap<Key, Value> {
  // A map keeps the order of insertion, which here is that of the last use.
  readonly #entries = new Map<Key, Value>();
  readonly #options: LruOptions<Key, Value>;
  #size = 0;

  constructor(options: LruOptions<Key, Value>) {
    this.#options = options;
  }

  /** Whether there is an entry, without using it. */
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

  /** The entry just set stays, even when it alone is over the bound. */
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

  /** The value of a key, made now when there is none. */
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
