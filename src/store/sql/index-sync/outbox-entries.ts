import { inBatches, toKeyRanges } from '../sqlite/key-ranges.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Keys per entry, i.e. the work repeated when the program stops in the middle. */
const KEYS_PER_ENTRY = 5_000;

/** Adds pending index writes for these chunks, in the transaction that changes them. */
export async function addPending(
  database: Queries,
  kind: 'upsert' | 'remove' | 'place',
  spaceKey: number,
  keys: readonly number[],
): Promise<void> {
  if (keys.length === 0) return;
  const created_at = new Date().toISOString();
  const entries = inBatches(keys, KEYS_PER_ENTRY).map((part) => ({
    kind,
    space_key: spaceKey,
    payload: JSON.stringify(toKeyRanges(part)),
    created_at,
  }));
  await database.insertInto('outbox').values(entries).execute();
}
