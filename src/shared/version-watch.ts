import { onAbort } from './abort.ts';

/** Lets many callers wait for changes of versions that can only be polled. */
export interface VersionWatch<Key> {
  /** Resolves when the version differs from `known`; rejects with the signal's reason when aborted. */
  changed(key: Key, known: string | undefined, signal: AbortSignal): Promise<void>;
}

interface Waiter<Key> {
  readonly key: Key;
  readonly known: string | undefined;
  readonly resolve: () => void;
}

/**
 * Polls the versions of all awaited keys in one call per interval, and not at all while nobody waits. A failure counts
 * as no change.
 */
export function createVersionWatch<Key>(
  intervalMs: number,
  versionsOf: (keys: readonly Key[]) => Promise<readonly (string | undefined)[]>,
): VersionWatch<Key> {
  const waiters = new Set<Waiter<Key>>();
  let isAsking = false;

  async function ask(): Promise<void> {
    while (waiters.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
      const polled = [...waiters];
      const versions = await versionsOf(polled.map(({ key }) => key)).catch(() => undefined);
      versions?.forEach((version, index) => {
        const waiter = polled[index];
        if (waiter === undefined || version === waiter.known) return;
        waiters.delete(waiter);
        waiter.resolve();
      });
    }
    isAsking = false;
  }

  return {
    changed(key, known, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter: Waiter<Key> = { key, known, resolve };
      waiters.add(waiter);
      if (!isAsking) {
        isAsking = true;
        void ask();
      }
      const stopListening = onAbort(signal, () => reject(signal.reason));
      return promise.finally(() => {
        waiters.delete(waiter);
        stopListening();
      });
    },
  };
}
