/** Calls the listener when the signal aborts, at once when it has. The result ends the listening. */
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
 * The promise's value, or as soon as the signal aborts what `toError` makes of it: the signal's reason by default. The
 * promise goes on by itself; combine signals with `AbortSignal.any` to end what is behind it.
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
    // First, so that an aborted caller gets nothing even when the value is there.
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
  /** True when the time is up, which the caller's own signal does not make it. */
  readonly isOver: boolean;
}

/** The caller's signal with a time limit. Unlike with `AbortSignal.timeout` no timer is left when the work ends early. */
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
