import { sql } from 'kysely';
import pLimit from 'p-limit';
import type { ObjectStore } from '../../originals/object-store.ts';
import type { Database } from '../database.ts';
import { areRemovalsHeld, endHolds } from './removal-holds.ts';

export interface ObjectRemovals {
  /** Removes what is due now, in the background. */
  wakeUp(): void;
  close(): Promise<void>;
}

interface RemovalParts {
  readonly sqlite: Pick<Database, 'reader' | 'writer' | 'shared'>;
  readonly objects: ObjectStore | undefined;
  readonly report?: ((message: string, cause?: unknown) => void) | undefined;
}

const OBJECTS_PER_BATCH = 100;
const CALL_CONCURRENCY = 8;
const EVERY_MS = 30_000;

/**
 * Removes objects that no record refers to: those of removed documents immediately, on the server that removed the
 * document, and those of uploads interrupted by a crash after their grace time, on the server that leads. They remain
 * recorded while the storage is unavailable or a backup is running.
 */
export function createObjectRemovals({ sqlite, objects, report }: RemovalParts): ObjectRemovals {
  if (objects === undefined) return { wakeUp() {}, async close() {} };
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let isWanted = false;
  let hasFailed = false;
  const work = async () => {
    while (isWanted && !closing.signal.aborted) {
      isWanted = false;
      try {
        while ((await removeSome(sqlite, objects, closing.signal)) && !closing.signal.aborted);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !closing.signal.aborted) {
          report?.('Files of removed documents could not be removed from the storage yet; this is tried again.', error);
        }
        hasFailed = true;
      }
    }
  };
  const wakeUp = () => {
    isWanted = true;
    running ??= work().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(() => {
    if (sqlite.shared === undefined || sqlite.shared.isLeader()) wakeUp();
  }, EVERY_MS);
  timer.unref();
  return {
    wakeUp,
    async close() {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}

type ReaderAndWriter = Pick<Database, 'reader' | 'writer'>;

/** Removes all recorded objects, even before they are due. Requires exclusive use of the database. */
export async function removeUnneeded(
  database: ReaderAndWriter,
  objects: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  await endHolds(database.writer);
  await database.writer.updateTable('object_removals').set({ due_at: '' }).execute();
  while (await removeSome(database, objects, signal));
}

/** Removes a batch of the objects that are due, unless a backup needs them. Returns whether there may be more. */
export async function removeSome(
  database: ReaderAndWriter,
  objects: ObjectStore,
  signal: AbortSignal,
): Promise<boolean> {
  const { writer } = database;
  const claimed = await claimDue(database);
  if (claimed === undefined) return false;
  const limit = pLimit(CALL_CONCURRENCY);
  const results = await Promise.allSettled(
    claimed.map((object) =>
      limit(async () => {
        signal.throwIfAborted();
        await objects.remove(object, signal);
        return object;
      }),
    ),
  );
  const removed = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (removed.length > 0) await writer.deleteFrom('object_removals').where('object', 'in', removed).execute();
  const failed = results.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return true;
}

/**
 * Claims a batch of due objects without references: from then on, no record may refer to them. Withdraws the notes of
 * objects that are referred to. Undefined if nothing is due, or if removals are held.
 */
async function claimDue({ reader, writer }: ReaderAndWriter): Promise<readonly string[] | undefined> {
  const now = new Date().toISOString();
  // Checked outside a transaction first, since all servers would have to wait for the transaction.
  const some = await reader
    .selectFrom('object_removals')
    .select('object')
    .where('due_at', '<=', now)
    .limit(1)
    .execute();
  if (some.length === 0) return undefined;
  return writer.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ object: string; used: number }>`
      select r.object, exists (select 1 from document_files f where f.object = r.object)
        or exists (select 1 from version_files v where v.object = r.object)
        or exists (select 1 from visible_originals o where o.object = r.object) as used
      from object_removals r where r.due_at <= ${now} order by r.due_at limit ${sql.lit(OBJECTS_PER_BATCH)}`.execute(
      transaction,
    );
    if (rows.length === 0 || (await areRemovalsHeld(transaction))) return undefined;
    const used = rows.flatMap((row) => (row.used === 1 ? [row.object] : []));
    const unused = rows.flatMap((row) => (row.used === 1 ? [] : [row.object]));
    if (used.length > 0) await transaction.deleteFrom('object_removals').where('object', 'in', used).execute();
    if (unused.length > 0) {
      await transaction.updateTable('object_removals').set({ claimed_at: now }).where('object', 'in', unused).execute();
    }
    return unused;
  });
}
