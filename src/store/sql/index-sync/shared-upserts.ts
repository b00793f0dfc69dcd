import type { SpaceRow } from '../vector-spaces/space-rows.ts';

export interface SharedUpserts {
  /** Resolves when the index has stored these; rejects with the index's error. */
  add(space: SpaceRow, keys: readonly number[]): Promise<void>;
}

interface Waiting {
  readonly space: SpaceRow;
  readonly keys: readonly number[];
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Collects upserts that arrive while the index is busy and sends them in one call: for a few vectors, a call costs far
 * more than the vectors do, and documents ingested concurrently then share it.
 */
export function createSharedUpserts(
  upsert: (space: SpaceRow, keys: readonly number[]) => Promise<void>,
): SharedUpserts {
  let waiting: Waiting[] = [];
  let isBusy = false;

  const upsertTogether = async (shares: readonly Waiting[]): Promise<void> => {
    const [first] = shares;
    if (first === undefined) return;
    try {
      await upsert(
        first.space,
        shares.flatMap(({ keys }) => keys),
      );
      for (const { done } of shares) done.resolve();
    } catch (error) {
      for (const { done } of shares) done.reject(error);
    }
  };

  const upsertWaiting = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const taken = waiting;
      waiting = [];
      for (const shares of Map.groupBy(taken, ({ space }) => space.key).values()) await upsertTogether(shares);
    }
    isBusy = false;
  };

  return {
    add(space, keys) {
      const done = Promise.withResolvers<void>();
      waiting.push({ space, keys, done });
      if (!isBusy) void upsertWaiting();
      return done.promise;
    },
  };
}
