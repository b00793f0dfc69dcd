/** Something that happens again and again, and that many may wait for. */
export class Condition<Value = void> {
  #next = Promise.withResolvers<Value>();

  /** Resolves when it happens next. */
  get next(): Promise<Value> {
    return this.#next.promise;
  }

  notify(value: Value): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve(value);
  }
}
