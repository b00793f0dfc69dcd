import { randomUUID } from 'node:crypto';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** In the settings, with the time until which no object is removed; what comes after it tells one holder from another. */
const PREFIX = 'removals_held:';
/** Of a process that was killed, this long. */
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
    // One that fails is followed by others before the time is over.
    renewing = renewing.then(() => renew(writer, name, until()).catch(() => undefined));
  }, RENEW_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    // Otherwise it ends by itself.
    await writer
      .deleteFrom('settings')
      .where('name', '=', name)
      .execute()
      .catch(() => undefined);
  };
}

const renew = (writer: Queries, name: string, value: string) =>
  writer.updateTable('settings').set({ value }).where('name', '=', name).execute();

/** Whether objects must stay, asked in the transaction that would begin to remove some. */
export async function areRemovalsHeld(transaction: Queries): Promise<boolean> {
  const holds = await transaction.selectFrom('settings').select('value').where('name', 'like', `${PREFIX}%`).execute();
  const now = new Date().toISOString();
  return holds.some(({ value }) => value > now);
}

/** For whoever has the database alone, and for copies of it. */
export const endHolds = (writer: Queries) =>
  writer.deleteFrom('settings').where('name', 'like', `${PREFIX}%`).execute();
