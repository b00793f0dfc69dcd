import type { Selectable } from 'kysely';
import { countKeys, fromKeyRanges, inBatches, type KeyRange, toKeyRanges } from './key-ranges.ts';
import type { OpenCollections } from './open-collections.ts';
import type { Sqlite } from './open-sqlite.ts';
import type { OutboxTable } from './schema.ts';
import { allSpaces, type Queries, type SpaceRow } from './space-rows.ts';
import { upsertFromRecords } from './upsert-from-records.ts';

/** Keys in one entry: what is done again when the program stops in the middle. */
const KEYS_PER_ENTRY = 5_000;

/** Notes, in the transaction that makes it so, that the index of a space lacks these chunks or holds them in vain. */
export async function owe(
  database: Queries,
  kind: 'upsert' | 'remove',
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

/** The chunks are gone; every space that may hold them is to forget them. */
export async function oweRemoval(database: Queries, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return;
  for (const space of await allSpaces(database)) await owe(database, 'remove', space.key, keys);
}

/** The space is gone; its collection is to go as well. */
export async function oweDrop(database: Queries, collection: string): Promise<void> {
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

/** How many chunks the index of this space still has to be given. */
export async function countOwed(database: Queries, spaceKey: number): Promise<number> {
  const entries = await database
    .selectFrom('outbox')
    .select('payload')
    .where('space_key', '=', spaceKey)
    .where('kind', '=', 'upsert')
    .execute();
  return entries.reduce((sum, { payload }) => sum + countKeys(JSON.parse(payload) as KeyRange[]), 0);
}

/**
 * Does what is owed, oldest first, and strikes each entry once the index has done it. Stopped anywhere, it can begin
 * again: an entry done twice changes nothing.
 */
export async function replayOutbox(sqlite: Sqlite, collections: OpenCollections, signal: AbortSignal): Promise<void> {
  const spaces = new Map<number, SpaceRow>();
  while (!signal.aborted) {
    const entries = await sqlite.reader.selectFrom('outbox').selectAll().orderBy('key').limit(100).execute();
    if (entries.length === 0) return;
    for (const space of await allSpaces(sqlite.reader)) spaces.set(space.key, space);
    for (const run of toRuns(entries)) {
      if (signal.aborted) return;
      await doRun(run, { sqlite, collections, space: spaces.get(run.first.space_key ?? 0), signal });
      const keys = run.entries.map(({ key }) => key);
      await sqlite.writer.deleteFrom('outbox').where('key', 'in', keys).execute();
    }
  }
}

type Entry = Selectable<OutboxTable>;

/** Entries that follow one another and ask the same of the same space. */
interface Run {
  readonly first: Entry;
  readonly entries: Entry[];
}

/** A call of the index costs more than a few chunks in it: after many small documents, their entries share one. */
function toRuns(entries: readonly Entry[]): Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    const isAlike = last?.first.kind === entry.kind && last.first.space_key === entry.space_key;
    if (last !== undefined && isAlike && entry.kind !== 'drop') last.entries.push(entry);
    else runs.push({ first: entry, entries: [entry] });
  }
  return runs;
}

interface RunParts {
  readonly sqlite: Sqlite;
  readonly collections: OpenCollections;
  readonly space: SpaceRow | undefined;
  readonly signal: AbortSignal;
}

async function doRun({ first, entries }: Run, { sqlite, collections, space, signal }: RunParts): Promise<void> {
  if (first.kind === 'drop') return collections.drop(JSON.parse(first.payload) as string);
  // A space that is gone is owed nothing.
  if (space === undefined) return;
  const keys = [...new Set(entries.flatMap(({ payload }) => fromKeyRanges(JSON.parse(payload) as KeyRange[])))];
  if (first.kind === 'upsert') await upsertFromRecords({ sqlite, collections, space, keys, signal });
  else await (await collections.open(space)).remove(keys);
}
