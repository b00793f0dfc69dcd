import { type VectorCoding, vectorCoding } from './vector-coding.ts';

const known = new Map<number, VectorCoding>();

/** The coding of vectors with this number of dimensions, prepared once for each thread. */
export function codingOf(dimensions: number): VectorCoding {
  const coding = known.get(dimensions) ?? vectorCoding(dimensions);
  known.set(dimensions, coding);
  return coding;
}
