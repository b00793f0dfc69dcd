import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { passesSelfSearch } from '../self-search.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import type { OpenCollections } from './open-collections.ts';
import { updateScopesFromRecords, upsertFromRecords } from './upsert-from-records.ts';

const PAGE = 5_000;
const SAMPLE = 100;

export interface ReconcileCollection {
  readonly sqlite: Database;
  readonly collections: OpenCollections;
  readonly space: SpaceRow;
  readonly signal: AbortSignal;
  /** Whether searches use the index while it is compared. */
  readonly isInUse?: boolean;
  /** Called when the index has all vectors but does not find them. Returns whether the index may be rebuilt. */
  readonly mayRebuild?: () => boolean;
  /** Called when the index turns out to differ from the records, before it is compared in full. */
  readonly onDifference?: () => Promise<void>;
  /** Called while vectors are added; not at all when nothing is missing. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Makes a collection hold exactly the vectors of the existing chunks. It compares all keys only when the counts differ
 * or a sample is not found. Ingestions may continue meanwhile.
 */
export async function reconcileCollection(parts: ReconcileCollection): Promise<void> {
  await reconcileVectors(parts);
  await addMissingScopes(parts);
  await (await parts.collections.open(parts.space)).settle?.();
}

async function reconcileVectors(parts: ReconcileCollection): Promise<void> {
  if (await seemsInStep(parts)) return;
  await parts.onDifference?.();
  const { sqlite, collections, space, signal, onProgress } = parts;
  const collection = await collections.open(space);
  // The index is read before the records: a key found in it then has a record, unless the chunk was removed.
  const indexed = await readIndexedKeys(parts);
  const missing: number[] = [];
  for await (const { key, isVisible } of recordedKeys(parts)) {
    const isIndexed = indexed.delete(key);
    if (isVisible && !isIndexed) missing.push(key);
  }
  for (const unknownKeys of inBatches([...indexed], PAGE)) {
    signal.throwIfAborted();
    await collection.remove(unknownKeys);
  }
  if (missing.length === 0) return;
  onProgress?.(0, missing.length);
  const report = (done: number) => onProgress?.(done, missing.length);
  await upsertFromRecords({ sqlite, collections, space, keys: missing, signal, onProgress: report });
}

/** Adds the access scopes to a collection that was written without them. */
async function addMissingScopes(parts: ReconcileCollection): Promise<void> {
  const { sqlite, collections, space, signal } = parts;
  const { scopes } = await collections.open(space);
  if (scopes === undefined || scopes.areComplete()) return;
  const keys: number[] = [];
  for await (const { key } of recordedKeys(parts)) keys.push(key);
  await updateScopesFromRecords({ sqlite, collections, space, signal, keys });
  await scopes.complete();
}

async function seemsInStep(parts: ReconcileCollection): Promise<boolean> {
  const { sqlite, collections, space } = parts;
  const collection = await collections.open(space);
  const count = await collection.count();
  // The vectors are counted only if the index has a different number than the documents say.
  if (count !== (await countPublished(sqlite)) && count !== (await countVisible(parts))) return false;
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
  if (count === 0 || (await passesSelfSearch({ ...parts, collection })) || !parts.mayRebuild?.()) return true;
  await collection.clear();
  return false;
}

/** The number of visible chunks: the sum of the counts stored with the documents, which are far fewer than vectors. */
export async function countPublished({ reader }: Pick<Database, 'reader'>): Promise<number> {
  const row = await reader
    .selectFrom('documents')
    .select(({ fn }) => fn.sum<number | null>('chunk_count').as('count'))
    .where('generation', '>', 0)
    .executeTakeFirstOrThrow();
  return Number(row.count ?? 0);
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
