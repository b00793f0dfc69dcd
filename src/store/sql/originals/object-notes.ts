import { ServiceError } from '../../../errors.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Time after which an object that no record refers to is removed. */
export const GRACE_MS = 6 * 3600 * 1000;

/** Records objects that are about to be written. They are removed if no record refers to them after the grace time. */
export async function noteObjects(writer: Queries, objects: readonly string[], graceMs = GRACE_MS): Promise<void> {
  const due_at = new Date(Date.now() + graceMs).toISOString();
  await writer
    .insertInto('object_removals')
    .values(objects.map((object) => ({ object, due_at })))
    .execute();
}

/** Withdraws the notes, in the transaction that writes the records. Throws `store_failed` if a removal has begun. */
export async function confirmObjects(transaction: Queries, objects: readonly string[]): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('object_removals')
    .where('object', 'in', objects)
    .where('claimed_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(numDeletedRows) === objects.length) return;
  throw new ServiceError('store_failed', 'Storing the file took too long. Upload it again.');
}
