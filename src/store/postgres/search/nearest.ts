import { type RawBuilder, sql } from 'kysely';
import { distanceFrom } from '../../distance.ts';
import { bestKeys } from '../../sql/search/best-keys.ts';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import type { NearestList, NearestPlan, NearestQuery } from '../../sql/search/nearest-chunks.ts';
import { fromKeyRanges, inBatches, type KeyRange } from '../../sql/sqlite/key-ranges.ts';
import { currentSpace, type Queries } from '../../sql/vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../../sql/vector-spaces/vector-bytes.ts';
import { isSameSpace, type VectorHit, type VectorSpaceName } from '../../vector-index.ts';
import { numbers } from '../array-values.ts';
import { readKeys, toRaw } from './conditions.ts';
import { loadChunks } from './load-chunks.ts';
import { passes, resolveFilter, VISIBLE, withPhrases } from './passing.ts';

/** Vectors held at a time while many are compared. */
const BATCH = 2_000;

export async function planNearest(database: Queries, filter: CompiledFilter): Promise<NearestPlan> {
  const space = (await currentSpace(database)) ?? null;
  const sizes = await sql<{ entries: number }>`
    select entries from full_text_sizes where name = 'chunk_terms'`.execute(database);
  const visible = sizes.rows[0]?.entries ?? 0;
  const resolved = filter?.past === undefined ? undefined : (await resolveFilter(database, filter))?.keys;
  const matching = resolved?.length ?? (filter === null ? visible : await countMatching(database, filter));
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
  const past = resolved === undefined ? [] : await notVisible(database, resolved);
  const embedded = space === null ? [] : await vectorsOf(database, sql`past_chunk_vectors`, space.key, past);
  const withoutVector = space === null ? 0 : past.length - embedded.length;
  return { space, visible, matching, pending, past, withoutVector };
}

async function countMatching(database: Queries, filter: NonNullable<CompiledFilter>): Promise<number> {
  if (filter.phraseFilters !== undefined) return (await resolveFilter(database, filter))?.keys.length ?? 0;
  const { onDocuments } = filter;
  const one =
    onDocuments === null
      ? sql`select count(*) as count from ${VISIBLE} where ${passes(filter)}`
      : countByDocument(toRaw(onDocuments), passes(filter));
  const { rows } = await sql<{ count: number }>`${one}`.execute(database);
  return rows[0]?.count ?? 0;
}

/** Documents are far fewer than chunks; those with metadata of their own are looked at one by one. */
const countByDocument = (ofDocuments: RawBuilder<boolean>, ofChunks: RawBuilder<boolean>): RawBuilder<unknown> => sql`
  select (select count(*) from documents d join chunks c on c.document_key = d.key and c.generation = d.generation
      where d.generation > 0 and ${ofDocuments})
    - (select count(*) from ${VISIBLE} where c.metadata <> '{}' and ${ofDocuments})
    + (select count(*) from ${VISIBLE} where c.metadata <> '{}' and ${ofChunks}) as count`;

async function notVisible(database: Queries, keys: readonly number[]): Promise<number[]> {
  const visible = new Set(await readKeys(database, sql`select c.key from ${VISIBLE} where c.key in ${numbers(keys)}`));
  return keys.filter((key) => !visible.has(key));
}

/** Those of these chunks that pass, and are visible or were at the filter's time. */
async function passing(database: Queries, keys: readonly number[], filter: CompiledFilter): Promise<readonly number[]> {
  if (filter?.past !== undefined) {
    const resolved = await resolveFilter(database, filter);
    return keys.filter((key) => resolved?.has(key));
  }
  const { rows } = await sql<{ key: number }>`
    select c.key from ${VISIBLE} where c.key in ${numbers(keys)} and ${passes(filter)}`.execute(database);
  const found = rows.map(({ key }) => key);
  return filter?.phraseFilters === undefined ? found : withPhrases(database, found, filter);
}

/** Compares the query with every vector that passes the filter. */
export async function nearestExactly(database: Queries, query: NearestQuery): Promise<NearestList> {
  const { filter, space } = query;
  const best = bestKeys(query.limit);
  if (filter?.past !== undefined || filter?.phraseFilters !== undefined) {
    const resolved = await resolveFilter(database, filter);
    for (const batch of inBatches(resolved?.keys ?? [], BATCH)) {
      for (const table of VECTORS) offerAll(await vectorsOf(database, table, space.key, batch), query, best);
    }
    return toList(database, best, query);
  }
  for (let last = 0; ; ) {
    const { rows } = await sql<VectorRow>`
      select v.chunk_key as key, v.vector from ${VISIBLE} join chunk_vectors v on v.chunk_key = c.key
      where v.space_key = ${space.key} and v.chunk_key > ${last} and ${passes(filter)}
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
  const { filter, hits } = query;
  const passed = new Set(await passing(database, [...hits.map(({ key }) => key), ...query.others], filter));
  const others = query.others.filter((key) => passed.has(key));
  return nearestOf(
    database,
    { ...query, others },
    hits.filter(({ key }) => passed.has(key)),
  );
}

/** The same of hits and others that pass. */
export async function nearestOf(
  database: Queries,
  query: NearestQuery & { readonly others: readonly number[] },
  hits: readonly VectorHit[],
): Promise<NearestList> {
  const best = bestKeys(query.limit);
  const others = new Set(query.others);
  const isCosine = query.measure === 'cosine_distance';
  for (const { key, distance } of hits) {
    if (others.has(key)) continue;
    if (isCosine) best.offer(key, -distance);
    else others.add(key);
  }
  for (const batch of inBatches([...others], BATCH)) {
    for (const table of VECTORS) offerAll(await vectorsOf(database, table, query.space.key, batch), query, best);
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
  const vectors = new Map<number, Float32Array>();
  for (const table of VECTORS) {
    for (const { key, vector } of await vectorsOf(database, table, space.key, keys)) {
      vectors.set(key, fromVectorBytes(vector));
    }
  }
  return vectors;
}

/** A chunk has its vectors in one of them. */
const VECTORS: readonly RawBuilder<unknown>[] = [sql`chunk_vectors`, sql`past_chunk_vectors`];

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
  const distance = distanceFrom(measure, vector);
  for (const { key, vector: bytes } of rows) best.offer(key, -distance(fromVectorBytes(bytes)));
}

async function toList(database: Queries, best: Best, { shown, filter }: NearestQuery): Promise<NearestList> {
  const found = best.take();
  const shownKeys = found.slice(0, shown);
  const chunks = await loadChunks(
    database,
    shownKeys.map(({ key }) => key),
    filter?.past?.at,
  );
  const hits = shownKeys
    .flatMap(({ key, score }) => {
      const chunk = chunks.get(key);
      return chunk ? [{ key, chunk, score: 1 + score }] : [];
    })
    .map(({ key, chunk, score }, index) => ({ ...chunk, key, score, semantic: { rank: index + 1, score } }));
  return { hits, count: found.length };
}
