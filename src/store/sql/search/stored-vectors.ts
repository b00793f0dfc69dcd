import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import type { Reading, ResolvedFilter } from './read-snapshot.ts';

/** Vectors cached per filter, so that repeated searches read nothing. */
const BYTES_KEPT_PER_FILTER = 8_000_000;

export type VectorTable = 'chunk_vectors' | 'past_chunk_vectors';

/** Calls `visit` with the stored vector of each of these chunks that has one in the space. */
export function forEachVector(
  reading: Reading,
  spaceKey: number,
  keys: readonly number[],
  visit: (key: number, vector: Float32Array) => void,
  table: VectorTable = 'chunk_vectors',
): void {
  const sql = `select v.chunk_key, v.vector from json_each(?) as wanted
    cross join ${table} v on v.space_key = ? and v.chunk_key = wanted.value`;
  for (const [key, bytes] of reading.rows(sql, JSON.stringify(keys), spaceKey)) {
    if (bytes instanceof Uint8Array) visit(Number(key), fromVectorBytes(bytes));
  }
}

/** Like `forEachVector` for the chunks of a filter; cached when they are few and were requested before. */
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
  if (keys.length * space.dimensions * Float32Array.BYTES_PER_ELEMENT > BYTES_KEPT_PER_FILTER) {
    forEachVector(reading, space.key, keys, visit);
    return;
  }
  if (filter.vectors?.spaceKey !== space.key) {
    const matrix = new Float32Array(keys.length * space.dimensions);
    const found: number[] = [];
    forEachVector(reading, space.key, keys, (key, vector) => {
      matrix.set(vector, found.length * space.dimensions);
      found.push(key);
    });
    filter.vectors = { spaceKey: space.key, found, matrix };
  }
  const { found, matrix } = filter.vectors;
  for (const [row, key] of found.entries()) {
    visit(key, matrix.subarray(row * space.dimensions, (row + 1) * space.dimensions));
  }
}

/** Like `forEachVector`, for chunks of which some belong to earlier versions only. */
export function forEachPastVector(
  reading: Reading,
  spaceKey: number,
  keys: readonly number[],
  visit: (key: number, vector: Float32Array) => void,
): void {
  forEachVector(reading, spaceKey, keys, visit);
  forEachVector(reading, spaceKey, keys, visit, 'past_chunk_vectors');
}
