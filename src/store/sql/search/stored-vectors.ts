import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import type { Reading, ResolvedFilter } from './read-snapshot.ts';

/** Vectors cached per filter, so that repeated searches read nothing. */
export const MAX_CACHED_BYTES_PER_FILTER = 8_000_000;

/**
 * Number of vectors read per query. With 256 and more, which are near a megabyte, the memory of each result is mapped
 * anew, and reading takes 1.6 times as long.
 */
const BATCH = 64;

/** The vectors of these chunks in one space. */
export interface WantedVectors {
  readonly reading: Reading;
  readonly spaceKey: number;
  /** Ascending keys are read fastest. */
  readonly keys: readonly number[];
}

export type VisitVector = (key: number, vector: Float32Array) => void;

/** Calls `visit` with each of these vectors that is stored for the current version of its document. */
export function forEachVector(wanted: WantedVectors, visit: VisitVector): void {
  visitRows('chunk_vectors', wanted, visit);
}

/** Like `forEachVector`, for chunks some of which belong only to earlier versions. */
export function forEachPastVector(wanted: WantedVectors, visit: VisitVector): void {
  visitRows('chunk_vectors', wanted, visit);
  visitRows('past_chunk_vectors', wanted, visit);
}

function visitRows(
  table: 'chunk_vectors' | 'past_chunk_vectors',
  { reading, spaceKey, keys }: WantedVectors,
  visit: VisitVector,
): void {
  const from = `from json_each(?) as wanted cross join ${table} v on v.space_key = ? and v.chunk_key = wanted.value`;
  // One concatenated value is read faster than many rows. Concatenation as text does not change the bytes of blobs.
  const together = `select json_group_array(v.chunk_key), cast(group_concat(v.vector, '') as blob), min(length(v.vector)),
    max(length(v.vector)) ${from}`;
  for (let start = 0; start < keys.length; start += BATCH) {
    const wanted = JSON.stringify(keys.slice(start, start + BATCH));
    const [found, bytes, size, largest] = reading.row(together, wanted, spaceKey) ?? [];
    if (!(bytes instanceof Uint8Array)) continue;
    if (size !== largest) throw new Error(`Vectors of space ${spaceKey} in ${table} differ in their size.`);
    const each = Number(size);
    for (const [place, key] of (JSON.parse(String(found)) as number[]).entries()) {
      visit(key, fromVectorBytes(bytes.subarray(place * each, (place + 1) * each)));
    }
  }
}

export interface FilteredVectors {
  readonly reading: Reading;
  readonly space: { readonly key: number; readonly dimensions: number };
  readonly filter: ResolvedFilter;
}

/** Like `forEachVector`, for the chunks of a filter. The vectors are cached with the filter if they are few. */
export function forEachFilteredVector({ reading, space, filter }: FilteredVectors, visit: VisitVector): void {
  const { keys } = filter.keys;
  const wanted = { reading, spaceKey: space.key, keys };
  if (filter.isPast) {
    forEachPastVector(wanted, visit);
    return;
  }
  if (keys.length * space.dimensions * Float32Array.BYTES_PER_ELEMENT > MAX_CACHED_BYTES_PER_FILTER) {
    forEachVector(wanted, visit);
    return;
  }
  if (filter.vectors?.spaceKey === space.key) {
    for (const [key, vector] of filter.vectors.found) visit(key, vector);
    return;
  }
  // Kept where the database wrote them: to copy them takes as long as a third of reading them.
  const found: [number, Float32Array][] = [];
  forEachVector(wanted, (key, vector) => {
    found.push([key, vector]);
    visit(key, vector);
  });
  filter.vectors = { spaceKey: space.key, found };
}
