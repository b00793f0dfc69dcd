/** Calls the listener when the signal aborts, immediately if it has already. Returns a function that unsubscribes. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/**
 * Settles like the promise, but rejects with `toError(signal)`, by default the signal's reason, as soon as the signal
 * aborts. Does not stop the work behind the promise; pass the signal to that work as well.
 */
export async function raceAbort<T>(
  promise: PromiseLike<T>,
  signal: AbortSignal | undefined,
  toError: (signal: AbortSignal) => unknown = ({ reason }) => reason,
): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stopListening = onAbort(signal, () => reject(toError(signal)));
  try {
    // `aborted` comes first, so that it wins even if the promise is already resolved.
    return await Promise.race([aborted, promise]);
  } finally {
    stopListening();
  }
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onAbort(signal, resolve);
  return promise;
}

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True once the time limit has passed; not set by the caller's own signal. */
  readonly isOver: boolean;
}

/** Adds a time limit to the caller's signal. Unlike with `AbortSignal.timeout`, disposal clears the timer. */
export function startDeadline(milliseconds: number, caller: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('The time is up.', 'TimeoutError')), milliseconds);
  return {
    signal: AbortSignal.any([caller, late.signal]),
    get isOver() {
      return late.signal.aborted;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
