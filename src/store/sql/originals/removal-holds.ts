import { randomUUID } from 'node:crypto';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Prefix of settings that hold the time until which no object is removed, followed by a unique id of the holder. */
const PREFIX = 'removals_held:';
/** Duration of a hold without renewal, and thus of one whose process was killed. */
const HELD_MS = 600_000;
const RENEW_EVERY_MS = 60_000;

/**
 * Keeps all servers of the database from removing objects until the returned function is called, so that a copy of the
 * records can be completed with the files that it refers to.
 */
export async function holdRemovals(writer: Queries): Promise<() => Promise<void>> {
  const name = `${PREFIX}${randomUUID()}`;
  const until = () => new Date(Date.now() + HELD_MS).toISOString();
  await writer.insertInto('settings').values({ name, value: until() }).execute();
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A failed renewal is followed by others before the hold expires.
    renewing = renewing.then(() => renew(writer, name, until()).catch(() => undefined));
  }, RENEW_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    // If this fails, the hold expires.
    await writer
      .deleteFrom('settings')
      .where('name', '=', name)
      .execute()
      .catch(() => undefined);
  };
}

const renew = (writer: Queries, name: string, value: string) =>
  writer.updateTable('settings').set({ value }).where('name', '=', name).execute();

/** Whether removals are held. Must be called in the transaction that claims objects for removal. */
export async function areRemovalsHeld(transaction: Queries): Promise<boolean> {
  const holds = await transaction.selectFrom('settings').select('value').where('name', 'like', `${PREFIX}%`).execute();
  const now = new Date().toISOString();
  return holds.some(({ value }) => value > now);
}

/** Ends all holds. Only for exclusive users of a database, and for copies of it. */
export const endHolds = (writer: Queries) =>
  writer.deleteFrom('settings').where('name', 'like', `${PREFIX}%`).execute();
