import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { countKeys, fromKeyRanges, type KeyRange } from '../sqlite/key-ranges.ts';
import { allSpaces, type Queries, type SpaceRow } from '../vector-spaces/space-rows.ts';
import type { OutboxTable } from '../vector-spaces/vector-tables.ts';
import type { OpenCollections } from './open-collections.ts';
import { addPending } from './outbox-entries.ts';
import { updateScopesFromRecords, upsertFromRecords } from './upsert-from-records.ts';

/** Adds the removal of deleted chunks, for every space that may hold them. */
export async function addPendingRemoval(database: Queries, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return;
  for (const space of await allSpaces(database)) await addPending(database, 'remove', space.key, keys);
}

/** Adds the removal of a deleted space's collection. */
export async function addPendingDrop(database: Queries, collection: string): Promise<void> {
  await database
    .insertInto('outbox')
    .values({
      kind: 'drop',
      space_key: null,
      payload: JSON.stringify(collection),
      created_at: new Date().toISOString(),
    })
    .execute();
}

/** The chunks with pending upserts to the index of this space. */
export async function pendingUpserts(database: Queries, spaceKey: number): Promise<KeyRange[]> {
  const entries = await database
    .selectFrom('outbox')
    .select('payload')
    .where('space_key', '=', spaceKey)
    .where('kind', '=', 'upsert')
    .execute();
  return entries.flatMap(({ payload }) => JSON.parse(payload) as KeyRange[]);
}

/** The number of chunks with pending upserts to the index of this space. */
export const countPending = async (database: Queries, spaceKey: number): Promise<number> =>
  countKeys(await pendingUpserts(database, spaceKey));

const ENTRIES_PER_PAGE = 100;

/**
 * Applies the outbox, oldest entry first, and deletes each entry once the index has applied it. Entries that are added
 * while the last page is applied are left, so that those of further documents can join them. Idempotent: it can be
 * interrupted anywhere and repeated.
 */
export async function replayOutbox(sqlite: Database, collections: OpenCollections, signal: AbortSignal): Promise<void> {
  const spaces = new Map<number, SpaceRow>();
  while (!signal.aborted) {
    const page = sqlite.reader.selectFrom('outbox').selectAll().orderBy('key').limit(ENTRIES_PER_PAGE);
    const entries = await page.execute();
    if (entries.length === 0) return;
    for (const space of await allSpaces(sqlite.reader)) spaces.set(space.key, space);
    for (const run of toRuns(entries)) {
      if (signal.aborted) return;
      await doRun(run, { sqlite, collections, space: spaces.get(run.first.space_key ?? 0), signal });
      const keys = run.entries.map(({ key }) => key);
      await sqlite.writer.deleteFrom('outbox').where('key', 'in', keys).execute();
    }
    if (entries.length < ENTRIES_PER_PAGE) return;
  }
}

type Entry = Selectable<OutboxTable>;

/** Entries with the same operation on the same space. */
interface Run {
  readonly first: Entry;
  readonly entries: Entry[];
}

/**
 * Groups entries into runs, because a call of the index costs more than a few chunks in it, e.g. after many small
 * documents. Their order does not matter: a chunk whose removal is among these entries is gone from the records, so its
 * upsert has no effect, and keys are never reused.
 */
function toRuns(entries: readonly Entry[]): Run[] {
  const groups = Map.groupBy(entries, ({ key, kind, space_key: space }) => `${kind} ${kind === 'drop' ? key : space}`);
  return [...groups.values()].flatMap((run) => (run[0] === undefined ? [] : [{ first: run[0], entries: run }]));
}

interface RunParts {
  readonly sqlite: Database;
  readonly collections: OpenCollections;
  readonly space: SpaceRow | undefined;
  readonly signal: AbortSignal;
}

async function doRun({ first, entries }: Run, { sqlite, collections, space, signal }: RunParts): Promise<void> {
  if (first.kind === 'drop') return collections.drop(JSON.parse(first.payload) as string);
  // Writes to a deleted space are obsolete.
  if (space === undefined) return;
  const keys = [...new Set(entries.flatMap(({ payload }) => fromKeyRanges(JSON.parse(payload) as KeyRange[])))];
  if (first.kind === 'upsert') await upsertFromRecords({ sqlite, collections, space, keys, signal });
  else if (first.kind === 'place') await updateScopesFromRecords({ sqlite, collections, space, keys, signal });
  else await (await collections.open(space)).remove(keys);
}
