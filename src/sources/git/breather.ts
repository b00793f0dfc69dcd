import { setImmediate as pause } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Returns a function to call often during long work: it yields to the event loop periodically and throws on abort. */
export function createBreather(signal: AbortSignal): () => Promise<void> {
  let paused = performance.now();
  return async () => {
    if (performance.now() - paused < PAUSE_MS) return;
    await pause();
    signal.throwIfAborted();
    paused = performance.now();
  };
}
