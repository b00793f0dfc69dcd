/**
 * A map of bounded size that is read at the cost of a `Map`, a fraction of that of `LruMap`. Once half as many entries as
 * allowed have been set or used, all entries that were not used in that time are dropped.
 */
export class GenerationCache<Key, Value> {
  readonly #max: number;
  #recent = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor({ max }: { readonly max: number }) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.#recent.size >= this.#max / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
