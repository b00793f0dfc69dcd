import { type RawBuilder, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import { distanceFrom } from '../../distance.ts';
import { bestKeys } from '../../sql/search/best-keys.ts';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import type { KeySet } from '../../sql/search/key-set.ts';
import type { NearestPlan, NearestQuery } from '../../sql/search/nearest-chunks.ts';
import { type NearestList, packScores } from '../../sql/search/packed-hits.ts';
import { fromKeyRanges, inBatches, type KeyRange } from '../../sql/sqlite/key-ranges.ts';
import { currentSpace } from '../../sql/vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../../sql/vector-spaces/vector-bytes.ts';
import { isSameSpace, type VectorHit, type VectorSpaceName } from '../../vector-index.ts';
import { numbers } from '../array-values.ts';
import { readKeys, toRaw } from './conditions.ts';
import { loadChunks } from './load-chunks.ts';
import { nameOfFilter, passes, resolveFilter, VISIBLE } from './passing.ts';
import type { Matrix, Reading, StateQueries } from './reading.ts';

/** Number of vectors in memory at a time during an exhaustive comparison. */
const BATCH = 2_000;
/** Maximum components (8 MB) of the vectors that pass a filter, if they are to be cached for later searches. */
const MAX_COMPONENTS = 2_000_000;

type Space = NearestQuery['space'];

interface CurrentSpace extends Space {
  /** Payloads of the writes still pending for the space's index; a JSON list. */
  readonly owed: string | null;
}

export async function planNearest(reading: Reading, filter: CompiledFilter): Promise<NearestPlan> {
  const currentSpaces = sql<CurrentSpace>`
    select s.key, s.embedder, s.version, s.dimensions, s.collection, s.state, s.created_at,
      (select json_agg(o.payload) from outbox o where o.space_key = s.key and o.kind in ('upsert', 'place')) as owed
    from vector_spaces s where s.state = 'current'`;
  const rows = await reading.rows(currentSpaces, 'prepared');
  const visible = reading.indexes.chunk_terms.entries;
  const matching = filter === null ? visible : await countMatching(reading, filter);
  const [current] = rows;
  if (current === undefined) return { space: null, visible, matching, pending: [], past: [], withoutVector: 0 };
  const { owed, ...space } = current;
  const entries = JSON.parse(owed ?? '[]') as string[];
  const waiting = entries.flatMap((payload) => fromKeyRanges(JSON.parse(payload) as KeyRange[]));
  const pending = waiting.length === 0 ? [] : await passing(reading, waiting, filter);
  const resolved = filter?.past === undefined ? undefined : await resolveFilter(reading, filter);
  const past = resolved === undefined ? [] : await notVisible(reading, resolved.keys);
  const embedded = past.length === 0 ? [] : await vectorsOf(reading, sql`past_chunk_vectors`, space.key, past);
  return { space, visible, matching, pending, past, withoutVector: past.length - embedded.length };
}

async function countMatching(reading: Reading, filter: NonNullable<CompiledFilter>): Promise<number> {
  if (filter.phraseFilters !== undefined || filter.past !== undefined) {
    return (await resolveFilter(reading, filter))?.size ?? 0;
  }
  const { counts, filters } = reading.cache;
  const name = nameOfFilter(reading, filter);
  const known = filters.get(name)?.size ?? counts.get(name);
  if (known !== undefined) return known;
  const { onDocuments } = filter;
  const one =
    onDocuments === null
      ? sql`select count(*) as count from ${VISIBLE} where ${passes(filter)}`
      : countByDocument(toRaw(onDocuments), passes(filter));
  const [found] = await reading.rows(sql<{ count: number }>`${one}`);
  const count = found?.count ?? 0;
  counts.set(name, count);
  return count;
}

/** Evaluates the filter per document, which is far cheaper; only chunks with own metadata are checked individually. */
const countByDocument = (ofDocuments: RawBuilder<boolean>, ofChunks: RawBuilder<boolean>): RawBuilder<unknown> => sql`
  select (select count(*) from documents d join chunks c on c.document_key = d.key and c.generation = d.generation
      where d.generation > 0 and ${ofDocuments})
    - (select count(*) from ${VISIBLE} where c.metadata <> '{}' and ${ofDocuments})
    + (select count(*) from ${VISIBLE} where c.metadata <> '{}' and ${ofChunks}) as count`;

async function notVisible(queries: StateQueries, keys: readonly number[]): Promise<number[]> {
  const visible = new Set(await readKeys(queries, sql`select c.key from ${VISIBLE} where c.key in ${numbers(keys)}`));
  return keys.filter((key) => !visible.has(key));
}

/** Those of these chunks that pass the filter and are visible now, or were at the filter's time. */
async function passing(reading: Reading, keys: readonly number[], filter: CompiledFilter): Promise<readonly number[]> {
  const isPlain = filter?.past === undefined && filter?.phraseFilters === undefined;
  const known = filter === null ? undefined : reading.cache.filters.get(nameOfFilter(reading, filter));
  const resolved = known ?? (isPlain ? undefined : await resolveFilter(reading, filter));
  if (resolved !== undefined) return keys.filter((key) => resolved.has(key));
  const query = sql<{ key: number }>`
    select c.key from ${VISIBLE} where c.key in ${numbers(keys)} and ${passes(filter)}`;
  const rows = await reading.rows(query, filter === null ? 'prepared' : 'once');
  return rows.map(({ key }) => key);
}

/** Compares the query with every vector that passes the filter. */
export async function nearestExactly(reading: Reading, query: NearestQuery): Promise<NearestList> {
  const { filter, space } = query;
  const best = bestKeys(query.limit);
  const resolved = await resolveFilter(reading, filter);
  if (filter?.past !== undefined) {
    for (const batch of inBatches(resolved?.keys ?? [], BATCH)) {
      for (const table of VECTORS) offerAll(await vectorsOf(reading, table, space.key, batch), query, best);
    }
    return toList(reading, best, query);
  }
  if (isFew(reading, query, resolved)) {
    offerMatrix(await matrixOf(reading, query, resolved), query, best);
    return toList(reading, best, query);
  }
  if (resolved !== undefined) {
    for (const batch of inBatches(resolved.keys, BATCH)) {
      offerAll(await vectorsOf(reading, sql`chunk_vectors`, space.key, batch), query, best);
    }
    return toList(reading, best, query);
  }
  const database = await reading.transaction();
  for (let last = 0; ; ) {
    const { rows } = await sql<VectorRow>`
      select v.chunk_key as key, v.vector from ${VISIBLE} join chunk_vectors v on v.chunk_key = c.key
      where v.space_key = ${space.key} and v.chunk_key > ${last} order by v.chunk_key limit ${BATCH}`.execute(database);
    offerAll(rows, query, best);
    const final = rows.at(-1);
    if (final === undefined || rows.length < BATCH) return toList(reading, best, query);
    last = final.key;
  }
}

/** Whether the visible chunks that pass are few enough to cache their vectors in memory. */
function isFew(reading: Reading, { space }: NearestQuery, resolved: KeySet | undefined): boolean {
  const count = resolved?.size ?? reading.indexes.chunk_terms.entries;
  return count * space.dimensions <= MAX_COMPONENTS;
}

/**
 * The nearest vectors by comparison in memory; undefined if too many pass the filter. All lists of a search must
 * compare vectors in the same way: the database rounds distances differently, and ties would change places between
 * pages.
 */
export async function nearestInMemory(reading: Reading, query: NearestQuery): Promise<NearestList | undefined> {
  const { filter } = query;
  if (filter?.past !== undefined) return undefined;
  const resolved = await resolveFilter(reading, filter);
  return isFew(reading, query, resolved) ? nearestExactly(reading, query) : undefined;
}

const nameOfMatrix = (reading: Reading, { space, filter }: NearestQuery): string =>
  `${space.key} ${nameOfFilter(reading, filter)}`;

/** The cached vectors of the visible chunks that pass; only for few chunks (`isFew`). */
async function matrixOf(reading: Reading, query: NearestQuery, resolved: KeySet | undefined): Promise<Matrix> {
  const { cache } = reading;
  const { space } = query;
  const name = nameOfMatrix(reading, query);
  const known = cache.matrices.get(name);
  if (known !== undefined) return known;
  const passed = resolved === undefined ? sql`select c.key from ${VISIBLE}` : numbers(resolved.keys);
  const rows = await reading.rows(sql<VectorRow>`
    select chunk_key as key, vector from chunk_vectors where space_key = ${space.key} and chunk_key in (${passed})`);
  rows.sort((one, two) => one.key - two.key);
  const vectors = new Float32Array(rows.length * space.dimensions);
  for (const [row, { vector }] of rows.entries()) vectors.set(fromVectorBytes(vector), row * space.dimensions);
  const matrix = { keys: rows.map(({ key }) => key), vectors };
  cache.matrices.set(name, matrix);
  return matrix;
}

function offerMatrix({ keys, vectors }: Matrix, { measure, vector, space }: NearestQuery, best: Best): void {
  const distance = distanceFrom(measure, vector);
  for (const [row, key] of keys.entries()) {
    best.offer(key, -distance(vectors.subarray(row * space.dimensions, (row + 1) * space.dimensions)));
  }
}

/**
 * The best hits among those of the vector index and `others`, after the filter. Cosine distances from the index are
 * used as they are; for other measures, and for `others`, the stored vectors are compared.
 */
export async function nearestAmong(
  reading: Reading,
  query: NearestQuery & { readonly hits: readonly VectorHit[]; readonly others: readonly number[] },
): Promise<NearestList> {
  const { filter, hits } = query;
  const passed = new Set(await passing(reading, [...hits.map(({ key }) => key), ...query.others], filter));
  const others = query.others.filter((key) => passed.has(key));
  return nearestOf(
    reading,
    { ...query, others },
    hits.filter(({ key }) => passed.has(key)),
  );
}

/** Like `nearestAmong`, for hits and others that are known to pass. `loaded`: chunks that were already read. */
export async function nearestOf(
  reading: Reading,
  query: NearestQuery & { readonly others: readonly number[] },
  hits: readonly VectorHit[],
  loaded?: ReadonlyMap<number, Chunk>,
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
    for (const table of VECTORS) offerAll(await vectorsOf(reading, table, query.space.key, batch), query, best);
  }
  return toList(reading, best, query, loaded);
}

/** The stored vectors of these chunks, visible or past; empty when the corpus has moved to another space. */
export async function readVectors(
  reading: Reading,
  keys: readonly number[],
  name: VectorSpaceName,
): Promise<Map<number, Float32Array>> {
  const space = await currentSpace(await reading.transaction());
  if (space === undefined || !isSameSpace(space, name)) return new Map();
  const vectors = new Map<number, Float32Array>();
  for (const table of VECTORS) {
    for (const { key, vector } of await vectorsOf(reading, table, space.key, keys)) {
      vectors.set(key, fromVectorBytes(vector));
    }
  }
  return vectors;
}

/** Every chunk has its vectors in one of these tables. */
const VECTORS: readonly RawBuilder<unknown>[] = [sql`chunk_vectors`, sql`past_chunk_vectors`];

interface VectorRow {
  readonly key: number;
  readonly vector: Uint8Array;
}

const vectorsOf = (
  queries: StateQueries,
  table: RawBuilder<unknown>,
  spaceKey: number,
  keys: readonly number[],
): Promise<VectorRow[]> =>
  queries.rows(
    sql<VectorRow>`
      select chunk_key as key, vector from ${table} where space_key = ${spaceKey} and chunk_key in ${numbers(keys)}`,
    'prepared',
  );

type Best = ReturnType<typeof bestKeys>;

function offerAll(rows: readonly VectorRow[], { measure, vector }: NearestQuery, best: Best): void {
  const distance = distanceFrom(measure, vector);
  for (const { key, vector: bytes } of rows) best.offer(key, -distance(fromVectorBytes(bytes)));
}

async function toList(
  reading: Reading,
  best: Best,
  { shown, filter }: NearestQuery,
  loaded: ReadonlyMap<number, Chunk> = new Map(),
): Promise<NearestList> {
  const found = best.take();
  const missing = found.flatMap(({ key }, index) => (index < shown && !loaded.has(key) ? [key] : []));
  const chunks = new Map([...loaded, ...(await loadChunks(reading, missing, filter?.past?.at))]);
  return { best: packScores(found), chunks };
}
