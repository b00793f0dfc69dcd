import { setImmediate as pause } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Returns a function to call often during long work: it yields to the event loop periodically and throws on abort. */
export function createPeriodicYield(signal: AbortSignal): () => Promise<void> {
  let yieldedAt = performance.now();
  return async () => {
    if (performance.now() - yieldedAt < PAUSE_MS) return;
    await pause();
    signal.throwIfAborted();
    yieldedAt = performance.now();
  };
}
