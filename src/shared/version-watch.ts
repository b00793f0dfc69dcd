import { onAbort } from './abort.ts';

/** Lets many wait for changes of what only can be asked about. */
export interface VersionWatch<Key> {
  /** Resolves when the version is another than the known one; rejects with the signal's reason. */
  changed(key: Key, known: string | undefined, signal: AbortSignal): Promise<void>;
}

interface Waiter<Key> {
  readonly key: Key;
  readonly known: string | undefined;
  readonly resolve: () => void;
}

/**
 * Asks for the versions of everything that is waited for, together, at this interval; not at all while nobody waits. A
 * failure counts as no change.
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
      const asked = [...waiters];
      const versions = await versionsOf(asked.map(({ key }) => key)).catch(() => undefined);
      versions?.forEach((version, index) => {
        const waiter = asked[index];
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
