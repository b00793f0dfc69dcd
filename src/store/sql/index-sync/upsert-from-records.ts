import type { KeptPlaces } from '../../vector-index.ts';
import type { VectorPlace } from '../../vector-place.ts';
import type { Database } from '../database.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { readPlaces } from './chunk-places.ts';
import type { OpenCollections } from './open-collections.ts';

const BATCH = 1_000;

export interface UpsertFromRecords {
  readonly sqlite: Database;
  readonly collections: OpenCollections;
  readonly space: SpaceRow;
  readonly keys: readonly number[];
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of keys done. */
  readonly onProgress?: (done: number) => void;
}

/** Writes the stored vectors of these chunks to the index; chunks deleted meanwhile are skipped. */
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
    const places = collection.places && (await readPlaces(sqlite.reader, batch));
    await collection.upsert(
      rows.map(({ chunk_key: key, vector }) => {
        const place = places?.get(key);
        return { key, vector: fromVectorBytes(vector), ...(place && { place }) };
      }),
    );
    if (collection.places && places) await keepPresent({ sqlite, places: collection.places, written: places, signal });
    done += batch.length;
    onProgress?.(done);
  }
}

/** Writes the current places of these chunks to the index, if it keeps places. */
export async function placeFromRecords({ sqlite, collections, space, keys, signal }: UpsertFromRecords): Promise<void> {
  const { places } = await collections.open(space);
  if (places === undefined) return;
  for (const batch of inBatches(keys, BATCH)) {
    signal?.throwIfAborted();
    const found = await readPlaces(sqlite.reader, batch);
    await places.set(toPlaced(found));
    await keepPresent({ sqlite, places, written: found, signal });
  }
}

interface Written {
  readonly sqlite: Database;
  readonly places: KeptPlaces;
  readonly written: ReadonlyMap<number, VectorPlace>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes again the places that have changed since they were read: of two concurrent writers, the one that read the
 * older place may write last, and then has to correct it.
 */
async function keepPresent({ sqlite, places, written, signal }: Written): Promise<void> {
  for (let last = written; last.size > 0; ) {
    signal?.throwIfAborted();
    const present = await readPlaces(sqlite.reader, [...last.keys()]);
    const before = last;
    last = new Map([...present].filter(([key, place]) => !isSamePlace(place, before.get(key))));
    if (last.size > 0) await places.set(toPlaced(last));
  }
}

const toPlaced = (places: ReadonlyMap<number, VectorPlace>) => [...places].map(([key, place]) => ({ key, place }));

const isSamePlace = (one: VectorPlace, other: VectorPlace | undefined): boolean =>
  one.owner === other?.owner && String(one.collections.toSorted()) === String(other.collections.toSorted());
