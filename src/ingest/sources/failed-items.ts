import type { RemoteItem } from '../../sources/connector.ts';
import type { FailedItem, FollowedSourceRecords } from '../../store/followed-sources.ts';

/** The failed items of a source, as seen by one synchronisation. */
export interface FailedItems {
  /** Earlier failures of these items, by key. */
  of(items: readonly RemoteItem[]): Promise<ReadonlyMap<string, FailedItem>>;
  /** Whether a failed item is left for a later synchronisation. */
  isWaiting(item: RemoteItem, failure: FailedItem | undefined): boolean;
  /** Records a failure. Returns false if it cannot be stored, so that the item must be listed again. */
  remember(item: RemoteItem, reason: string, retryAfter: number | undefined): Promise<boolean>;
  forget(keys: readonly string[]): Promise<void>;
  /** Pages of failed items that are due and were not tried in this synchronisation. */
  due(): AsyncGenerator<readonly RemoteItem[], void>;
}

export interface FailedItemParts {
  readonly id: string;
  readonly records: Pick<
    FollowedSourceRecords,
    'failuresOf' | 'saveFailure' | 'forgetFailures' | 'dueFailures' | 'latestFailures'
  >;
  /** Retries all failed items, regardless of when they are due. */
  readonly isFull: boolean;
  /** Maximum number of failures remembered per source. */
  readonly limit?: number;
  readonly now?: () => number;
}

/** If more items fail, the cursor is not advanced, so that the next listing names them again. */
const MAX_REMEMBERED = 10_000;
const PER_PAGE = 200;
const MAX_ITEM = 20_000;
const MAX_REASON = 500;
const MINUTE = 60_000;
const LONGEST_PAUSE = 7 * 24 * 60 * MINUTE;

/**
 * Milliseconds until the next try: 0 after the first one (the next synchronisation), then 15 minutes, an hour, four
 * hours, … up to a week.
 */
export const pauseAfter = (tries: number): number =>
  tries <= 1 ? 0 : Math.min(LONGEST_PAUSE, 15 * MINUTE * 4 ** (tries - 2));

export function rememberFailures(parts: FailedItemParts): FailedItems {
  const { id, records, isFull, limit = MAX_REMEMBERED, now = Date.now } = parts;
  const startedAt = new Date(now()).toISOString();
  let count: number | undefined;

  const of = async (items: readonly RemoteItem[]) =>
    new Map(
      (
        await records.failuresOf(
          id,
          items.map(({ key }) => key),
        )
      ).map((failure) => [failure.key, failure]),
    );

  return {
    of,
    isWaiting({ version }, failure) {
      if (failure === undefined || itemOf(failure).version !== version) return false;
      return failure.triedAt >= startedAt || (!isFull && failure.nextTryAt > startedAt);
    },
    async remember(item, reason, retryAfter = 0) {
      const written = JSON.stringify(item);
      if (written.length > MAX_ITEM) return false;
      const before = (await of([item])).get(item.key);
      if (before === undefined) {
        count ??= (await records.latestFailures(id, 0)).count;
        if (count >= limit) return false;
        count++;
      }
      // A new version counts as a new item, so its tries start over.
      const tries = before !== undefined && itemOf(before).version === item.version ? before.tries + 1 : 1;
      const at = now();
      await records.saveFailure(id, {
        key: item.key,
        item: written,
        reason: reason.slice(0, MAX_REASON),
        tries,
        triedAt: new Date(at).toISOString(),
        nextTryAt: new Date(at + Math.max(pauseAfter(tries), retryAfter * 1000)).toISOString(),
      });
      return true;
    },
    async forget(keys) {
      await records.forgetFailures(id, keys);
      count = undefined;
    },
    async *due() {
      const query = { triedBefore: startedAt, limit: PER_PAGE, ...(!isFull && { dueAt: startedAt }) };
      for (let after: string | undefined; ; ) {
        const page = await records.dueFailures(id, { ...query, ...(after !== undefined && { after }) });
        if (page.length > 0) yield page.map(itemOf);
        after = page.at(-1)?.key;
        if (page.length < PER_PAGE) return;
      }
    },
  };
}

const itemOf = ({ item }: FailedItem): RemoteItem => JSON.parse(item) as RemoteItem;
