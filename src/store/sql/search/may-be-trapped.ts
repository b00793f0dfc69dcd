import type { VectorHit } from '../../vector-index.ts';

/** Distances of equal vectors differ by rounding only. */
export const SAME_DISTANCE = 1e-6;
/** A search that returns at least this many copies, and few other vectors, may not have left them. */
const MANY_COPIES = 10;

/**
 * Whether an index may have overlooked nearer vectors. HNSW connects many copies of a vector, such as repeated passages,
 * with each other only, so a search that reaches one of them returns nothing else.
 */
export function mayBeTrapped(hits: readonly VectorHit[]): boolean {
  const last = hits.at(-1)?.distance ?? 0;
  const copies = hits.filter(({ distance }) => last - distance < SAME_DISTANCE).length;
  return copies >= MANY_COPIES && copies * 2 > hits.length;
}
