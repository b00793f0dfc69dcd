/** A recurring event that any number of callers can wait for. */
export class Condition<Value = void> {
  #next = Promise.withResolvers<Value>();

  /** Resolves at the next `notify`. */
  get next(): Promise<Value> {
    return this.#next.promise;
  }

  notify(value: Value): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve(value);
  }
}
