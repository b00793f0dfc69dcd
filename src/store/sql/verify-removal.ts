import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { everything } from '../../documents/filter.ts';
import type { ChunkSearch } from '../chunk-search.ts';
import type { DeletionReceipt } from '../corpus.ts';
import type { IndexUpkeep } from './index-upkeep.ts';
import { type KeyRange, toKeyRanges } from './key-ranges.ts';
import type { Sqlite } from './open-sqlite.ts';
import { currentSpace, type Queries } from './space-rows.ts';

/** What to look for after a removal. */
export interface RemovedChunks {
  /** Of every chunk that went, those only earlier versions had too. */
  readonly keys: readonly number[];
  /** Some of those that could be found, and what finds them best: their own words and vector. */
  readonly samples: readonly {
    readonly key: number;
    readonly text: string;
    readonly vector: Float32Array | undefined;
  }[];
}

export interface VerifyRemoval {
  readonly sqlite: Sqlite;
  readonly upkeep: IndexUpkeep;
  readonly search: ChunkSearch;
}

/** An answer is not kept waiting longer for the index to do what it is owed. */
const INDEX_PATIENCE_MS = 2_000;
/** Hits looked at: a passage that is still there is the first to be found by its own words. */
const LOOKED_AT = 50;
const CHARACTERS = 400;

/**
 * Proves a removal by looking: no table, no search by words or by meaning, and not the vector index itself, may give
 * back anything of it. `pending` when the index still has to be told, which happens in the background.
 */
export async function verifyRemoval(
  parts: VerifyRemoval,
  removed: RemovedChunks,
): Promise<Pick<DeletionReceipt, 'index' | 'verified'>> {
  const { sqlite, upkeep } = parts;
  if (removed.keys.length === 0) return { index: { removed: 0, state: 'confirmed' }, verified: true };
  await letIndexFollow(upkeep);
  const isOwed = upkeep.state().kind === 'down' || (await owesRemoval(sqlite.reader, removed.keys));
  const index = { removed: removed.keys.length, state: isOwed ? ('owed' as const) : ('confirmed' as const) };
  if (await isLeftInRecords(sqlite.reader, removed.keys)) return { index, verified: false };
  try {
    if (await isFound(parts, removed)) return { index, verified: false };
    if (!isOwed && (await isIndexed(parts, removed))) return { index, verified: false };
  } catch {
    // Whoever could not look cannot say.
    return { index, verified: 'pending' };
  }
  return { index, verified: isOwed ? 'pending' : true };
}

async function letIndexFollow(upkeep: IndexUpkeep): Promise<void> {
  if (upkeep.state().kind === 'down') return;
  const stop = new AbortController();
  const patience = sleep(INDEX_PATIENCE_MS, undefined, { signal: stop.signal }).catch(() => {});
  await Promise.race([upkeep.replayOutbox().catch(() => {}), patience]);
  stop.abort();
}

async function owesRemoval(database: Queries, keys: readonly number[]): Promise<boolean> {
  const entries = await database.selectFrom('outbox').select('payload').where('kind', '=', 'remove').execute();
  const owed = entries.flatMap(({ payload }) => JSON.parse(payload) as KeyRange[]);
  const gone = toKeyRanges(keys);
  return owed.some(([first, last]) => gone.some((range) => range[0] <= last && range[1] >= first));
}

const RECORDS = {
  chunks: 'key',
  past_chunks: 'key',
  chunk_vectors: 'chunk_key',
  past_chunk_vectors: 'chunk_key',
  chunk_terms_docsize: 'id',
  past_chunk_terms_docsize: 'id',
};

async function isLeftInRecords(database: Queries, keys: readonly number[]): Promise<boolean> {
  const wanted = JSON.stringify(keys);
  for (const [table, column] of Object.entries(RECORDS)) {
    const { rows } = await sql`
      select 1 from ${sql.table(table)} where ${sql.ref(column)} in (select value from json_each(${wanted}))
      limit 1`.execute(database);
    if (rows.length > 0) return true;
  }
  return false;
}

async function isFound({ search }: VerifyRemoval, { keys, samples }: RemovedChunks): Promise<boolean> {
  const gone = new Set(keys);
  for (const { text, vector } of samples) {
    const query = { filter: everything, limit: LOOKED_AT };
    const byWords = await search.ranking({ ...query, text: text.slice(0, CHARACTERS), reading: 0 });
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
    const hits = await collection.nearest(vector, LOOKED_AT);
    if (hits.some(({ key }) => gone.has(key))) return true;
  }
  return false;
}
