import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { everything } from '../../../documents/filter.ts';
import type { ChunkSearch } from '../../chunk-search.ts';
import type { DeletionReceipt } from '../../corpus.ts';
import type { Database } from '../database.ts';
import { dialectOf } from '../sql-dialect.ts';
import { type KeyRange, toKeyRanges } from '../sqlite/key-ranges.ts';
import { currentSpace, type Queries } from '../vector-spaces/space-rows.ts';
import type { IndexUpkeep } from './index-upkeep.ts';

/** What to search for after a removal. */
export interface RemovedChunks {
  /** Keys of all removed chunks, including those only earlier versions had. */
  readonly keys: readonly number[];
  /** A sample of the searchable ones, each with its own text and vector as the query. */
  readonly samples: readonly {
    readonly key: number;
    readonly text: string;
    readonly vector: Float32Array | undefined;
  }[];
}

export interface VerifyRemoval {
  readonly sqlite: Database;
  readonly upkeep: Pick<IndexUpkeep, 'collections' | 'replayOutbox' | 'state'>;
  readonly search: ChunkSearch;
}

/** Time between two looks at whether the index has applied the removal. */
const LOOK_AGAIN_MS = 20;
/** Hits inspected: a chunk that still exists is the first hit for its own text. */
const MAX_HITS = 50;
const CHARACTERS = 400;

/**
 * Verifies a removal with queries: no table, no full-text or vector search, and not the vector index itself, may return
 * any of the removed content. `pending` when the removal from the index is still pending; it is applied in the
 * background. `patienceMs` is the maximum time to wait for it.
 */
export async function verifyRemoval(
  parts: VerifyRemoval,
  removed: RemovedChunks,
  patienceMs: number,
): Promise<Pick<DeletionReceipt, 'index' | 'verified'>> {
  const { sqlite } = parts;
  if (removed.keys.length === 0) return { index: { removed: 0, state: 'confirmed' }, verified: true };
  const isPending = await isPendingAfter(parts, removed.keys, patienceMs);
  const index = { removed: removed.keys.length, state: isPending ? ('pending' as const) : ('confirmed' as const) };
  if (await isLeftInRecords(sqlite.reader, removed.keys)) return { index, verified: false };
  try {
    if (await isFound(parts, removed)) return { index, verified: false };
    if (!isPending && (await isIndexed(parts, removed))) return { index, verified: false };
  } catch {
    // A failed check proves nothing.
    return { index, verified: 'pending' };
  }
  return { index, verified: isPending ? 'pending' : true };
}

/** Whether the index has not applied the removal after this time. It may go on with other writes meanwhile. */
async function isPendingAfter(
  { sqlite, upkeep }: VerifyRemoval,
  keys: readonly number[],
  patienceMs: number,
): Promise<boolean> {
  if (upkeep.state().kind === 'down') return true;
  const until = performance.now() + patienceMs;
  await Promise.race([upkeep.replayOutbox().catch(() => {}), sleep(LOOK_AGAIN_MS)]);
  for (;;) {
    const isPending = upkeep.state().kind === 'down' || (await hasPendingRemoval(sqlite.reader, keys));
    if (!isPending || performance.now() >= until) return isPending;
    await sleep(LOOK_AGAIN_MS);
  }
}

async function hasPendingRemoval(database: Queries, keys: readonly number[]): Promise<boolean> {
  const entries = await database.selectFrom('outbox').select('payload').where('kind', '=', 'remove').execute();
  const pending = entries.flatMap(({ payload }) => JSON.parse(payload) as KeyRange[]);
  const gone = toKeyRanges(keys);
  return pending.some(([first, last]) => gone.some((range) => range[0] <= last && range[1] >= first));
}

const RECORDS = {
  chunks: 'key',
  past_chunks: 'key',
  chunk_vectors: 'chunk_key',
  past_chunk_vectors: 'chunk_key',
};

async function isLeftInRecords(database: Queries, keys: readonly number[]): Promise<boolean> {
  const { numbers, fullText } = dialectOf(database);
  const wanted = numbers(keys);
  for (const [table, column] of Object.entries(RECORDS)) {
    const { rows } = await sql`
      select 1 from ${sql.table(table)} where ${sql.ref(column)} in ${wanted} limit 1`.execute(database);
    if (rows.length > 0) return true;
  }
  for (const table of ['chunk_terms', 'past_chunk_terms'] as const) {
    if (await fullText.hasAny(database, table, keys)) return true;
  }
  return false;
}

async function isFound({ search }: VerifyRemoval, { keys, samples }: RemovedChunks): Promise<boolean> {
  const gone = new Set(keys);
  for (const { text, vector } of samples) {
    const query = { filter: everything, limit: MAX_HITS };
    const byWords = await search.ranking({ ...query, text: text.slice(0, CHARACTERS) });
    if (byWords.some(({ key }) => gone.has(key))) return true;
    if (vector === undefined) continue;
    const byMeaning = await search.nearest({ ...query, vector, measure: 'cosine_distance' });
    if (byMeaning.some(({ key }) => gone.has(key))) return true;
  }
  return false;
}

async function isIndexed({ sqlite, upkeep }: VerifyRemoval, { keys, samples }: RemovedChunks): Promise<boolean> {
  const space = await currentSpace(sqlite.reader);
  if (space === undefined) return false;
  const collection = await upkeep.collections.open(space);
  const gone = new Set(keys);
  for (const { vector } of samples) {
    if (vector === undefined || vector.length !== space.dimensions) continue;
    const hits = await collection.nearest(vector, MAX_HITS);
    if (hits.some(({ key }) => gone.has(key))) return true;
  }
  return false;
}
