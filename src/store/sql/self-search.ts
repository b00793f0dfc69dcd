import { setTimeout as sleep } from 'node:timers/promises';
import { RequestRefused, type VectorCollection } from '../vector-index.ts';
import type { Database } from './database.ts';
import { pendingUpserts } from './index-sync/outbox.ts';
import type { SpaceRow } from './vector-spaces/space-rows.ts';
import { fromVectorBytes } from './vector-spaces/vector-bytes.ts';

const SAMPLES = 64;
const MAX_HITS = 10;
/** An approximate index misses a few of its own vectors. */
const MAX_MISSED = 0.1;
/** Distance below which two vectors count as copies. Copies come in random order and may push the sample itself out. */
const SAME = 1e-4;

interface SelfSearch {
  readonly sqlite: Database;
  readonly collection: VectorCollection;
  readonly space: SpaceRow;
  readonly signal: AbortSignal;
  /** Whether searches use the index meanwhile; the check then takes a small share of its time only. */
  readonly isInUse?: boolean | undefined;
}

/** Pause after each sample's search, as a multiple of its time. */
const PAUSE = 1;
const PAUSE_IN_USE = 4;

/**
 * Whether sample vectors from across the records are their own nearest neighbours. An index that has lost part of its
 * files may report the same count as before, yet find only the rest, or refuse searches that reach a lost part.
 */
export async function passesSelfSearch(search: SelfSearch): Promise<boolean> {
  try {
    return await findsSamples(search);
  } catch (error) {
    if (error instanceof RequestRefused) return false;
    throw error;
  }
}

async function findsSamples({ sqlite, collection, space, signal, isInUse }: SelfSearch): Promise<boolean> {
  const samples = await sampleVectors(sqlite, space);
  // Documents may be published and replaced meanwhile. The pending chunks are read after the samples: a chunk that was
  // published before them is then either pending or in the index.
  const pending = await pendingUpserts(sqlite.reader, space.key);
  for (const key of samples.keys()) {
    if (pending.some(([first, last]) => first <= key && key <= last)) samples.delete(key);
  }
  const missed: number[] = [];
  for (const [key, vector] of samples) {
    signal.throwIfAborted();
    const start = performance.now();
    const hits = await collection.nearest(vector, MAX_HITS, signal);
    const last = hits.at(-1);
    const took = performance.now() - start;
    if (!hits.some((hit) => hit.key === key) && !(last !== undefined && last.distance < SAME)) missed.push(key);
    // Leaves time of the index to searches, which this check would otherwise slow down.
    await sleep(took * (isInUse ? PAUSE_IN_USE : PAUSE), undefined, { signal });
  }
  if (missed.length <= MAX_MISSED * samples.size) return true;
  const removed = missed.length - (await countVisible(sqlite, space, missed));
  return missed.length - removed <= MAX_MISSED * (samples.size - removed);
}

async function countVisible({ reader }: Database, space: SpaceRow, keys: readonly number[]): Promise<number> {
  const { count } = await visibleVectors(reader, space)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('v.chunk_key', 'in', keys)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const visibleVectors = (reader: Database['reader'], space: SpaceRow) =>
  reader
    .selectFrom('chunk_vectors as v')
    .innerJoin('chunks as c', 'c.key', 'v.chunk_key')
    .innerJoin('documents as d', (join) =>
      join.onRef('d.key', '=', 'c.document_key').onRef('d.generation', '=', 'c.generation'),
    )
    .where('v.space_key', '=', space.key);

/** Vectors of visible chunks, evenly spaced. */
async function sampleVectors({ reader }: Database, space: SpaceRow): Promise<Map<number, Float32Array>> {
  const samples = new Map<number, Float32Array>();
  const { first, last } = await reader
    .selectFrom('chunk_vectors')
    .select(({ fn }) => [fn.min('chunk_key').as('first'), fn.max('chunk_key').as('last')])
    .where('space_key', '=', space.key)
    .executeTakeFirstOrThrow();
  for (let index = 0; index < SAMPLES; index++) {
    const from = first + Math.floor(((last - first) * index) / (SAMPLES - 1));
    const row = await visibleVectors(reader, space)
      .select(['v.chunk_key', 'v.vector'])
      .where('v.chunk_key', '>=', from)
      .orderBy('v.chunk_key')
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) samples.set(row.chunk_key, fromVectorBytes(row.vector));
  }
  return samples;
}
