import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import type { Reading, ResolvedFilter } from './read-snapshot.ts';

/** Vectors cached per filter, so that repeated searches read nothing. */
export const MAX_CACHED_BYTES_PER_FILTER = 8_000_000;

export type VectorTable = 'chunk_vectors' | 'past_chunk_vectors';

/**
 * Number of vectors read per query. With 256 and more, which are near a megabyte, the memory of each result is mapped
 * anew, and reading takes 1.6 times as long.
 */
const BATCH = 64;

/** Calls `visit` with the vector of each of these chunks that has one in the space. Ascending keys are read fastest. */
export function forEachVector(
  reading: Reading,
  spaceKey: number,
  keys: readonly number[],
  visit: (key: number, vector: Float32Array) => void,
  table: VectorTable = 'chunk_vectors',
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

/** Like `forEachVector`, for the chunks of a filter. The vectors are cached with the filter if they are few. */
export function forEachFilteredVector(
  reading: Reading,
  space: { readonly key: number; readonly dimensions: number },
  filter: ResolvedFilter,
  visit: (key: number, vector: Float32Array) => void,
): void {
  const { keys } = filter.keys;
  if (filter.isPast) {
    forEachPastVector(reading, space.key, keys, visit);
    return;
  }
  if (keys.length * space.dimensions * Float32Array.BYTES_PER_ELEMENT > MAX_CACHED_BYTES_PER_FILTER) {
    forEachVector(reading, space.key, keys, visit);
    return;
  }
  if (filter.vectors?.spaceKey === space.key) {
    for (const [key, vector] of filter.vectors.found) visit(key, vector);
    return;
  }
  // Kept where the database wrote them: to copy them takes as long as a third of reading them.
  const found: [number, Float32Array][] = [];
  forEachVector(reading, space.key, keys, (key, vector) => {
    found.push([key, vector]);
    visit(key, vector);
  });
  filter.vectors = { spaceKey: space.key, found };
}

/** Like `forEachVector`, for chunks some of which belong only to earlier versions. */
export function forEachPastVector(
  reading: Reading,
  spaceKey: number,
  keys: readonly number[],
  visit: (key: number, vector: Float32Array) => void,
): void {
  forEachVector(reading, spaceKey, keys, visit);
  forEachVector(reading, spaceKey, keys, visit, 'past_chunk_vectors');
}
