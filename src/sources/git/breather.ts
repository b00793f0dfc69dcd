import { setImmediate as pause } from 'node:timers/promises';

const PAUSE_MS = 20;

/** To be called often within long work: lets others run now and then. Throws when the work is aborted. */
export function createBreather(signal: AbortSignal): () => Promise<void> {
  let paused = performance.now();
  return async () => {
    if (performance.now() - paused < PAUSE_MS) return;
    await pause();
    signal.throwIfAborted();
    paused = performance.now();
  };
}
