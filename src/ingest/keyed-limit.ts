import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';

export interface KeyedLimit {
  /** Waits for this key's turn and a free slot; the result releases both. Throws `cancelled`. */
  begin(name: string, signal: AbortSignal): Promise<() => void>;
}

/** Limits concurrency to `concurrency` in total, and to one per key. */
export function createKeyedLimit(concurrency: number): KeyedLimit {
  const limit = pLimit(concurrency);
  const last = new Map<string, Promise<void>>();

  return {
    async begin(name, signal) {
      const before = last.get(name);
      const own = Promise.withResolvers<void>();
      const queued = (before ?? Promise.resolve()).then(() => own.promise);
      last.set(name, queued);
      const forget = () => {
        own.resolve();
        if (last.get(name) === queued) last.delete(name);
      };
      try {
        await raceAbort(before ?? Promise.resolve(), signal, stopped);
        const releaseSlot = await acquireSlot(limit, signal);
        return () => {
          releaseSlot();
          forget();
        };
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

async function acquireSlot(limit: ReturnType<typeof pLimit>, signal: AbortSignal): Promise<() => void> {
  const entered = Promise.withResolvers<() => void>();
  void limit(() => {
    const left = Promise.withResolvers<void>();
    entered.resolve(left.resolve);
    return left.promise;
  });
  try {
    return await raceAbort(entered.promise, signal, stopped);
  } catch (error) {
    // The slot has not been granted yet; it is released as soon as it is granted.
    void entered.promise.then((releaseSlot) => releaseSlot());
    throw error;
  }
}

const stopped = () => new ServiceError('cancelled', 'The ingestion was stopped before it began.');
