import { inBatches } from './key-ranges.ts';
import type { OpenCollections } from './open-collections.ts';
import type { Sqlite } from './open-sqlite.ts';
import type { SpaceRow } from './space-rows.ts';
import { fromVectorBytes } from './vector-bytes.ts';

const BATCH = 1_000;

export interface UpsertFromRecords {
  readonly sqlite: Sqlite;
  readonly collections: OpenCollections;
  readonly space: SpaceRow;
  readonly keys: readonly number[];
  readonly signal?: AbortSignal;
  /** Told how many keys are done after each batch. */
  readonly onProgress?: (done: number) => void;
}

/** Gives the index the stored vectors of these chunks; those that are gone meanwhile are passed over. */
export async function upsertFromRecords(parts: UpsertFromRecords): Promise<void> {
  const { sqlite, collections, space, keys, signal, onProgress } = parts;
  if (keys.length === 0) return;
  const collection = await collections.open(space);
  let done = 0;
  for (const batch of inBatches(keys, BATCH)) {
    signal?.throwIfAborted();
    const rows = await sqlite.reader
      .selectFrom('chunk_vectors')
      .select(['chunk_key', 'vector'])
      .where('space_key', '=', space.key)
      .where('chunk_key', 'in', batch)
      .execute();
    await collection.upsert(rows.map((row) => ({ key: row.chunk_key, vector: fromVectorBytes(row.vector) })));
    done += batch.length;
    onProgress?.(done);
  }
}
