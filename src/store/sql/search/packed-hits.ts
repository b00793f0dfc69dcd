import type { Chunk } from '../../../documents/chunk.ts';
import type { VectorHit } from '../../vector-index.ts';
import type { ScoredKey } from './best-keys.ts';

/** Keys of hits and their distances or scores, which are copied between threads faster than objects. */
export interface PackedHits {
  readonly keys: Float64Array;
  readonly values: Float64Array;
}

/** The nearest chunks. */
export interface NearestList {
  /** The best chunks and their scores. */
  readonly best: PackedHits;
  /** The first chunks of `best`, as many as are to be shown, and those loaded in addition, by key. */
  readonly chunks: ReadonlyMap<number, Chunk>;
}

/** A hit, with its chunk if it is to be shown. */
export interface LocatedHit {
  readonly key: number;
  readonly score: number;
  readonly chunk?: Chunk | undefined;
}

export const packHits = (hits: readonly VectorHit[]): PackedHits => ({
  keys: Float64Array.from(hits, ({ key }) => key),
  values: Float64Array.from(hits, ({ distance }) => distance),
});

export const unpackHits = ({ keys, values }: PackedHits): VectorHit[] =>
  Array.from(keys, (key, place) => ({ key, distance: values[place] ?? 0 }));

/** Turns the negative distances of a comparison into scores of similarity. */
export const packScores = (best: readonly ScoredKey[]): PackedHits => ({
  keys: Float64Array.from(best, ({ key }) => key),
  values: Float64Array.from(best, ({ score }) => 1 + score),
});

export const locateHits = ({ best: { keys, values }, chunks }: NearestList): LocatedHit[] =>
  Array.from(keys, (key, place) => ({ key, score: values[place] ?? 0, chunk: chunks.get(key) }));
