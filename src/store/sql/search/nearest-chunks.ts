import type { DistanceMeasure } from '../../chunk-search.ts';
import { distanceFrom } from '../../distance.ts';
import { isSameSpace, type VectorHit, type VectorSpaceName } from '../../vector-index.ts';
import type { KeyRange } from '../sqlite/key-ranges.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { bestKeys, type ScoredKey } from './best-keys.ts';
import type { CompiledFilter } from './compile-filter.ts';
import { visibleKeys } from './keys-with-phrase.ts';
import { loadChunks } from './load-chunks.ts';
import { type NearestList, packScores } from './packed-hits.ts';
import type { Reading } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';
import { forEachFilteredVector, forEachPastVector, forEachVector } from './stored-vectors.ts';

export interface NearestQuery {
  /** The space of the plan: if the corpus moves to another meanwhile, the vectors of this one are still available. */
  readonly space: SpaceRow;
  readonly vector: Float32Array;
  readonly measure: DistanceMeasure;
  readonly filter: CompiledFilter;
  readonly limit: number;
  /** Number of top hits whose chunks are loaded. */
  readonly shown: number;
  /** Keys of further chunks to load. */
  readonly alsoShown?: readonly number[] | undefined;
}

/** Statistics for choosing between the vector index and an exhaustive comparison. */
export interface NearestPlan {
  readonly space: SpaceRow | null;
  /** Number of visible chunks; `matching` is the number of chunks that pass the filter. */
  readonly visible: number;
  readonly matching: number;
  /** Visible chunks that pass and whose write to the index of the space is pending. */
  readonly pending: readonly number[];
  /** Chunks that pass and belong to earlier versions only, which the index does not hold. */
  readonly past: readonly number[];
  /** How many chunks of `past` have no vector in the current space. */
  readonly withoutVector: number;
}

export function planNearest(reading: Reading, filter: CompiledFilter): NearestPlan {
  const space = readCurrentSpace(reading);
  const { count, lengths } = reading.snapshot.chunkLengths();
  const resolved = resolveFilter(reading, filter);
  const isVisible = (key: number) => (lengths[key] ?? -1) >= 0;
  const pending: number[] = [];
  const entries = space ? reading.rows(PENDING, space.key) : [];
  for (const [payload] of entries) {
    for (const [first, last] of JSON.parse(String(payload)) as KeyRange[]) {
      for (let key = first; key <= last; key++) {
        if (isVisible(key) && (resolved?.keys.has(key) ?? true)) pending.push(key);
      }
    }
  }
  const past = resolved?.isPast ? resolved.keys.keys.filter((key) => !isVisible(key)) : [];
  const withoutVector = space && past.length > 0 ? past.length - countVectors(reading, space.key, past) : 0;
  return { space, visible: count, matching: resolved?.keys.size ?? count, pending, past, withoutVector };
}

function countVectors(reading: Reading, spaceKey: number, keys: readonly number[]): number {
  const sql = `select count(*) from json_each(?) as wanted
    cross join past_chunk_vectors v on v.space_key = ? and v.chunk_key = wanted.value`;
  return Number(reading.row(sql, JSON.stringify(keys), spaceKey)?.[0] ?? 0);
}

const PENDING = "select payload from outbox where space_key = ? and kind in ('upsert', 'place')";

/** Compares the query with every vector that passes the filter. */
export const nearestExactly = (reading: Reading, query: NearestQuery): NearestList =>
  toList(reading, bestExactly(reading, query), query);

export function bestExactly(reading: Reading, query: NearestQuery): ScoredKey[] {
  const { space } = query;
  const distance = distanceFrom(query.measure, query.vector);
  const best = bestKeys(query.limit);
  const offer = (key: number, vector: Float32Array) => best.offer(key, -distance(vector));
  const filter = resolveFilter(reading, query.filter);
  if (filter) forEachFilteredVector({ reading, space, filter }, offer);
  else forEachVector({ reading, spaceKey: space.key, keys: visibleKeys(reading) }, offer);
  return best.take();
}

/**
 * The best hits that pass the filter among those of the vector index and `others`. Cosine distances from the index are
 * used as they are; for other measures, and for `others`, the stored vectors are compared.
 */
export const nearestAmong = (reading: Reading, query: AmongQuery): NearestList =>
  toList(reading, bestAmong(reading, query), query);

export interface AmongQuery extends NearestQuery {
  readonly hits: readonly VectorHit[];
  readonly others: readonly number[];
}

export function bestAmong(reading: Reading, query: AmongQuery): ScoredKey[] {
  const { space } = query;
  const passes = passesFilter(reading, query.filter);
  const best = bestKeys(query.limit);
  const isCosine = query.measure === 'cosine_distance';
  const others = new Set(query.others.filter(passes));
  for (const { key, distance } of query.hits) {
    if (!passes(key) || others.has(key)) continue;
    if (isCosine) best.offer(key, -distance);
    else others.add(key);
  }
  const distance = distanceFrom(query.measure, query.vector);
  const each = query.filter?.past ? forEachPastVector : forEachVector;
  const keys = [...others].sort((one, two) => one - two);
  const wanted = { reading, spaceKey: space.key, keys };
  if (keys.length > 0) each(wanted, (key, vector) => best.offer(key, -distance(vector)));
  return best.take();
}

/** Whether a chunk is visible, at the filter's time if it has one, and passes. */
export function passesFilter(reading: Reading, filter: CompiledFilter): (key: number) => boolean {
  const { lengths } = reading.snapshot.chunkLengths();
  const resolved = resolveFilter(reading, filter);
  if (resolved === undefined) return (key) => (lengths[key] ?? -1) >= 0;
  const { keys, isPast } = resolved;
  return isPast ? keys.has : (key) => (lengths[key] ?? -1) >= 0 && keys.has(key);
}

/** The stored vectors of these chunks, visible or past; empty when the corpus has moved to another space. */
export function readVectors(
  reading: Reading,
  keys: readonly number[],
  space: VectorSpaceName,
): Map<number, Float32Array> {
  const vectors = new Map<number, Float32Array>();
  const current = readCurrentSpace(reading);
  if (current === null || !isSameSpace(current, space)) return vectors;
  const wanted = { reading, spaceKey: current.key, keys };
  forEachPastVector(wanted, (key, vector) => vectors.set(key, vector.slice()));
  return vectors;
}

function readCurrentSpace(reading: Reading): SpaceRow | null {
  const row = reading.row(
    "select key, embedder, version, dimensions, collection, state, created_at from vector_spaces where state = 'current'",
  );
  if (row === undefined) return null;
  const [key, embedder, version, dimensions, collection, , created_at] = row;
  return {
    key: Number(key),
    embedder: String(embedder),
    version: String(version),
    dimensions: Number(dimensions),
    collection: String(collection),
    state: 'current',
    created_at: String(created_at),
  };
}

/** The ranking, with the chunks of its first hits. */
export function toList(
  reading: Reading,
  best: readonly ScoredKey[],
  { shown, alsoShown = [], filter }: Pick<NearestQuery, 'shown' | 'alsoShown' | 'filter'>,
): NearestList {
  const keys = [...new Set([...best.slice(0, shown).map(({ key }) => key), ...alsoShown])];
  return {
    best: packScores(best),
    chunks: keys.length === 0 ? new Map() : loadChunks(reading, keys, filter?.past?.at),
  };
}
