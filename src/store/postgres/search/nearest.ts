import { type RawBuilder, sql } from 'kysely';
import { distances } from '../../distance.ts';
import { bestKeys } from '../../sql/search/best-keys.ts';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import type { NearestList, NearestPlan, NearestQuery } from '../../sql/search/nearest-chunks.ts';
import { fromKeyRanges, inBatches, type KeyRange } from '../../sql/sqlite/key-ranges.ts';
import { currentSpace, type Queries } from '../../sql/vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../../sql/vector-spaces/vector-bytes.ts';
import { isSameSpace, type VectorHit, type VectorSpaceName } from '../../vector-index.ts';
import { numbers } from '../array-values.ts';
import { loadChunks } from './load-chunks.ts';
import { passes, resolveFilter, VISIBLE, withPhrases } from './passing.ts';

/** Vectors held at a time while many are compared. */
const BATCH = 2_000;

export async function planNearest(database: Queries, filter: CompiledFilter): Promise<NearestPlan> {
  const space = (await currentSpace(database)) ?? null;
  const sizes = await sql<{ entries: number }>`
    select entries from full_text_sizes where name = 'chunk_terms'`.execute(database);
  const visible = sizes.rows[0]?.entries ?? 0;
  const matching = filter === null ? visible : await countMatching(database, filter);
  const entries =
    space === null
      ? []
      : await database
          .selectFrom('outbox')
          .select('payload')
          .where('space_key', '=', space.key)
          .where('kind', '=', 'upsert')
          .execute();
  const owed = entries.flatMap(({ payload }) => fromKeyRanges(JSON.parse(payload) as KeyRange[]));
  const pending = owed.length === 0 ? [] : await passing(database, owed, filter);
  return { space, visible, matching, pending, past: [], withoutVector: 0 };
}

async function countMatching(database: Queries, filter: NonNullable<CompiledFilter>): Promise<number> {
  if (filter.phraseFilters !== undefined) return (await resolveFilter(database, filter))?.keys.length ?? 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${VISIBLE} where ${passes(filter)}`.execute(database);
  return rows[0]?.count ?? 0;
}

/** Those of these chunks that are visible and pass. */
async function passing(database: Queries, keys: readonly number[], filter: CompiledFilter): Promise<readonly number[]> {
  const { rows } = await sql<{ key: number }>`
    select c.key from ${VISIBLE} where c.key in ${numbers(keys)} and ${passes(filter)}`.execute(database);
  const found = rows.map(({ key }) => key);
  return filter?.phraseFilters === undefined ? found : withPhrases(database, found, filter);
}

/** Compares the query with every vector that passes the filter. */
export async function nearestExactly(database: Queries, query: NearestQuery): Promise<NearestList> {
  const { filter, space } = query;
  const best = bestKeys(query.limit);
  const having = filter?.phraseFilters === undefined ? undefined : (await resolveFilter(database, filter))?.keys;
  for (let last = 0; ; ) {
    const condition = having === undefined ? passes(filter) : sql<boolean>`c.key in ${numbers(having)}`;
    const { rows } = await sql<VectorRow>`
      select v.chunk_key as key, v.vector from ${VISIBLE} join chunk_vectors v on v.chunk_key = c.key
      where v.space_key = ${space.key} and v.chunk_key > ${last} and ${condition}
      order by v.chunk_key limit ${BATCH}`.execute(database);
    offerAll(rows, query, best);
    const final = rows.at(-1);
    if (final === undefined || rows.length < BATCH) return toList(database, best, query);
    last = final.key;
  }
}

/**
 * The best hits among those of the vector index and `others`, after the filter. Cosine distances from the index are
 * used as they are; for other measures, and for `others`, the stored vectors are compared.
 */
export async function nearestAmong(
  database: Queries,
  query: NearestQuery & { readonly hits: readonly VectorHit[]; readonly others: readonly number[] },
): Promise<NearestList> {
  const { space, filter, hits } = query;
  const passed = new Set(await passing(database, [...hits.map(({ key }) => key), ...query.others], filter));
  const best = bestKeys(query.limit);
  const others = new Set(query.others.filter((key) => passed.has(key)));
  const isCosine = query.measure === 'cosine_distance';
  for (const { key, distance } of hits) {
    if (!passed.has(key) || others.has(key)) continue;
    if (isCosine) best.offer(key, -distance);
    else others.add(key);
  }
  for (const batch of inBatches([...others], BATCH)) {
    offerAll(await vectorsOf(database, sql`chunk_vectors`, space.key, batch), query, best);
  }
  return toList(database, best, query);
}

/** The stored vectors of these chunks, visible or past; empty when the corpus has moved to another space. */
export async function readVectors(
  database: Queries,
  keys: readonly number[],
  name: VectorSpaceName,
): Promise<Map<number, Float32Array>> {
  const space = await currentSpace(database);
  if (space === undefined || !isSameSpace(space, name)) return new Map();
  const tables = [sql`chunk_vectors`, sql`past_chunk_vectors`];
  const rows = await Promise.all(tables.map((table) => vectorsOf(database, table, space.key, keys)));
  return new Map(rows.flat().map(({ key, vector }) => [key, fromVectorBytes(vector)]));
}

interface VectorRow {
  readonly key: number;
  readonly vector: Uint8Array;
}

async function vectorsOf(
  database: Queries,
  table: RawBuilder<unknown>,
  spaceKey: number,
  keys: readonly number[],
): Promise<VectorRow[]> {
  const { rows } = await sql<VectorRow>`
    select chunk_key as key, vector from ${table} where space_key = ${spaceKey} and chunk_key in ${numbers(keys)}
    `.execute(database);
  return rows;
}

type Best = ReturnType<typeof bestKeys>;

function offerAll(rows: readonly VectorRow[], { measure, vector }: NearestQuery, best: Best): void {
  const distance = distances[measure];
  for (const { key, vector: bytes } of rows) best.offer(key, -distance(vector, fromVectorBytes(bytes)));
}

async function toList(database: Queries, best: Best, { shown }: NearestQuery): Promise<NearestList> {
  const found = best.take();
  const shownKeys = found.slice(0, shown);
  const chunks = await loadChunks(
    database,
    shownKeys.map(({ key }) => key),
  );
  const hits = shownKeys
    .flatMap(({ key, score }) => {
      const chunk = chunks.get(key);
      return chunk ? [{ key, chunk, score: 1 + score }] : [];
    })
    .map(({ key, chunk, score }, index) => ({ ...chunk, key, score, semantic: { rank: index + 1, score } }));
  return { hits, count: found.length };
}
