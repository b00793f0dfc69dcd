import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Checks a condition after each interval, never two at once, until it does not hold (true) or the signal aborts
 * (false). Does not keep the process alive.
 */
export async function checkRegularly(
  holds: () => Promise<boolean>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  for (;;) {
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    if (!(await holds())) return !signal.aborted;
  }
}
