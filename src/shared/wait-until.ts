import { setTimeout as sleep } from 'node:timers/promises';

/** A timer for a longer time, some 24 days, would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves at the time, in milliseconds since the epoch, or when the signal aborts. Does not keep the process alive. */
export async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
  for (let left = time - Date.now(); left > 0 && !signal.aborted; left = time - Date.now()) {
    await sleep(Math.min(left, LONGEST_TIMER_MS), undefined, { signal, ref: false }).catch(() => undefined);
  }
}
