import { sql } from 'kysely';
import { inBatches } from './key-ranges.ts';
import type { OpenCollections } from './open-collections.ts';
import type { Sqlite } from './open-sqlite.ts';
import type { SpaceRow } from './space-rows.ts';
import { upsertFromRecords } from './upsert-from-records.ts';
import { fromVectorBytes } from './vector-bytes.ts';

const PAGE = 5_000;
const SAMPLE = 100;

export interface ReconcileCollection {
  readonly sqlite: Sqlite;
  readonly collections: OpenCollections;
  readonly space: SpaceRow;
  readonly signal: AbortSignal;
  /** Told while vectors are added; not at all when nothing is missing. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Makes a collection hold the vectors of the visible chunks and of none that are gone. Equal counts and a sample
 * decide whether it has to look at every key. Ingestions may go on meanwhile.
 */
export async function reconcileCollection(parts: ReconcileCollection): Promise<void> {
  if (await seemsInStep(parts)) return;
  const { sqlite, collections, space, signal, onProgress } = parts;
  const collection = await collections.open(space);
  // The index is read first: what it has now has a record, unless the chunk is gone.
  const indexed = await readIndexedKeys(parts);
  const missing: number[] = [];
  for await (const { key, isVisible } of recordedKeys(parts)) {
    const isIndexed = indexed.delete(key);
    if (isVisible && !isIndexed) missing.push(key);
  }
  for (const strangers of inBatches([...indexed], PAGE)) {
    signal.throwIfAborted();
    await collection.remove(strangers);
  }
  if (missing.length === 0) return;
  onProgress?.(0, missing.length);
  const report = (done: number) => onProgress?.(done, missing.length);
  await upsertFromRecords({ sqlite, collections, space, keys: missing, signal, onProgress: report });
}

async function seemsInStep(parts: ReconcileCollection): Promise<boolean> {
  const { sqlite, collections, space } = parts;
  const collection = await collections.open(space);
  const count = await collection.count();
  if (count !== (await countVisible(parts))) return false;
  const offsets = new Set([0, Math.floor(count / 2), Math.max(0, count - SAMPLE)]);
  for (const offset of offsets) {
    const keys = await collection.keys({ offset, limit: SAMPLE });
    if (keys.length === 0) continue;
    const known = await sqlite.reader
      .selectFrom('chunk_vectors')
      .select('chunk_key')
      .where('space_key', '=', space.key)
      .where('chunk_key', 'in', keys)
      .execute();
    if (known.length !== keys.length) return false;
  }
  await probe(parts);
  return true;
}

/** A damaged index may count well and fail on the first search; better now than when somebody asks. */
async function probe({ sqlite, collections, space }: ReconcileCollection): Promise<void> {
  const any = await sqlite.reader
    .selectFrom('chunk_vectors')
    .select('vector')
    .where('space_key', '=', space.key)
    .limit(1)
    .executeTakeFirst();
  if (any !== undefined) await (await collections.open(space)).nearest(fromVectorBytes(any.vector), 1);
}

async function countVisible({ sqlite, space }: ReconcileCollection): Promise<number> {
  const row = await sqlite.reader
    .selectFrom('chunk_vectors as v')
    .innerJoin('chunks as c', 'c.key', 'v.chunk_key')
    .innerJoin('documents as d', (join) =>
      join.onRef('d.key', '=', 'c.document_key').onRef('d.generation', '=', 'c.generation'),
    )
    .select((expressions) => expressions.fn.countAll<number>().as('count'))
    .where('v.space_key', '=', space.key)
    .executeTakeFirstOrThrow();
  return row.count;
}

async function readIndexedKeys({ collections, space, signal }: ReconcileCollection): Promise<Set<number>> {
  const collection = await collections.open(space);
  const indexed = new Set<number>();
  for (let offset = 0; ; offset += PAGE) {
    signal.throwIfAborted();
    const keys = await collection.keys({ offset, limit: PAGE });
    for (const key of keys) indexed.add(key);
    if (keys.length < PAGE) return indexed;
  }
}

async function* recordedKeys({ sqlite, space, signal }: ReconcileCollection) {
  for (let last = 0; ; ) {
    signal.throwIfAborted();
    const rows = await sqlite.reader
      .selectFrom('chunk_vectors as v')
      .innerJoin('chunks as c', 'c.key', 'v.chunk_key')
      .innerJoin('documents as d', 'd.key', 'c.document_key')
      .select(['v.chunk_key as key', sql<number>`c.generation = d.generation`.as('visible')])
      .where('v.space_key', '=', space.key)
      .where('v.chunk_key', '>', last)
      .orderBy('v.chunk_key')
      .limit(PAGE)
      .execute();
    for (const { key, visible } of rows) yield { key, isVisible: visible === 1 };
    const final = rows.at(-1);
    if (final === undefined) return;
    last = final.key;
  }
}
