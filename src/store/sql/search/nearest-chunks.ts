import type { DistanceMeasure, FoundChunk } from '../../chunk-search.ts';
import { distances } from '../../distance.ts';
import type { VectorHit } from '../../vector-index.ts';
import type { KeyRange } from '../key-ranges.ts';
import type { SpaceRow } from '../space-rows.ts';
import { bestKeys, type ScoredKey } from './best-keys.ts';
import type { CompiledFilter } from './compile-filter.ts';
import { visibleKeys } from './keys-saying.ts';
import { loadChunks } from './load-chunks.ts';
import type { Reading } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';
import { forEachFilteredVector, forEachPastVector, forEachVector } from './stored-vectors.ts';

export interface NearestQuery {
  /** That of the plan: a corpus that moves on meanwhile keeps the vectors of the space it left. */
  readonly space: SpaceRow;
  readonly vector: Float32Array;
  readonly measure: DistanceMeasure;
  readonly filter: CompiledFilter;
  readonly limit: number;
}

/** What there is to search, for the choice between the vector index and comparing one by one. */
export interface NearestPlan {
  readonly space: SpaceRow | null;
  /** Visible chunks, and how many of them pass the filter. */
  readonly visible: number;
  readonly matching: number;
  /** Visible chunks that pass and that the index of the space was not given yet. */
  readonly owed: readonly number[];
  /** Chunks that pass and can only be seen in earlier versions, which the index does not hold. */
  readonly past: readonly number[];
  /** How many of those were not embedded in the current space. */
  readonly withoutVector: number;
}

export function planNearest(reading: Reading, filter: CompiledFilter): NearestPlan {
  const space = readCurrentSpace(reading);
  const { count, lengths } = reading.snapshot.chunkLengths();
  const resolved = resolveFilter(reading, filter);
  const isVisible = (key: number) => (lengths[key] ?? -1) >= 0;
  const owed: number[] = [];
  const entries = space ? reading.rows(OWED, space.key) : [];
  for (const [payload] of entries) {
    for (const [first, last] of JSON.parse(String(payload)) as KeyRange[]) {
      for (let key = first; key <= last; key++) {
        if (isVisible(key) && (resolved?.keys.has(key) ?? true)) owed.push(key);
      }
    }
  }
  const past = resolved?.isPast ? resolved.keys.keys.filter((key) => !isVisible(key)) : [];
  const withoutVector = space && past.length > 0 ? past.length - countVectors(reading, space.key, past) : 0;
  return { space, visible: count, matching: resolved?.keys.keys.length ?? count, owed, past, withoutVector };
}

function countVectors(reading: Reading, spaceKey: number, keys: readonly number[]): number {
  const sql = `select count(*) from json_each(?) as wanted
    cross join past_chunk_vectors v on v.space_key = ? and v.chunk_key = wanted.value`;
  return Number(reading.row(sql, JSON.stringify(keys), spaceKey)?.[0] ?? 0);
}

const OWED = "select payload from outbox where space_key = ? and kind = 'upsert'";

/** Compares with every vector that passes the filter. */
export function nearestExactly(reading: Reading, query: NearestQuery): FoundChunk[] {
  const { space } = query;
  const distance = distances[query.measure];
  const best = bestKeys(query.limit);
  const offer = (key: number, vector: Float32Array) => best.offer(key, -distance(query.vector, vector));
  const resolved = resolveFilter(reading, query.filter);
  if (resolved) forEachFilteredVector(reading, space, resolved, offer);
  else forEachVector(reading, space.key, visibleKeys(reading), offer);
  return toScoredChunks(reading, best.take(), query.filter);
}

/**
 * The best of what the vector index found and of `others`, after the filter. Cosine distances are taken as the index
 * gave them; under another measure, and for the others, the stored vectors are compared.
 */
export function nearestAmong(
  reading: Reading,
  query: NearestQuery & { readonly hits: readonly VectorHit[]; readonly others: readonly number[] },
): FoundChunk[] {
  const { space } = query;
  const { lengths } = reading.snapshot.chunkLengths();
  const resolved = resolveFilter(reading, query.filter);
  const passes = (key: number) =>
    resolved?.isPast ? resolved.keys.has(key) : (lengths[key] ?? -1) >= 0 && (resolved?.keys.has(key) ?? true);
  const best = bestKeys(query.limit);
  const isCosine = query.measure === 'cosine_distance';
  const others = new Set(query.others.filter(passes));
  for (const { key, distance } of query.hits) {
    if (!passes(key) || others.has(key)) continue;
    if (isCosine) best.offer(key, -distance);
    else others.add(key);
  }
  const distance = distances[query.measure];
  const each = resolved?.isPast ? forEachPastVector : forEachVector;
  each(reading, space.key, [...others], (key, vector) => best.offer(key, -distance(query.vector, vector)));
  return toScoredChunks(reading, best.take(), query.filter);
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

function toScoredChunks(reading: Reading, found: readonly ScoredKey[], filter: CompiledFilter): FoundChunk[] {
  const chunks = loadChunks(
    reading,
    found.map(({ key }) => key),
    filter?.past?.at,
  );
  return found
    .flatMap(({ key, score }) => {
      const chunk = chunks.get(key);
      return chunk ? [{ key, chunk, score: 1 + score }] : [];
    })
    .map(({ key, chunk, score }, place) => ({ ...chunk, key, score, semantic: { rank: place + 1, score } }));
}
