import { countTerms } from '../count-terms.ts';
import { unitVector } from '../unit-vector.ts';

/** A trained LSA model: for each term a direction, multiplied by the term's weight. */
export interface LsaModel {
  /** Unique per model, so that vectors of different models are never compared. */
  readonly version: string;
  /** Dimensions of the vectors: the trained ones, one for texts without a known word, and those of `centre`. */
  readonly dimensions: number;
  /** Row of each term in `directions`. */
  readonly rows: ReadonlyMap<string, number>;
  /** One row of numbers per term. */
  readonly directions: Float32Array;
  /** Mean vector of the joined packaged embedder; empty if none is joined. */
  readonly centre: Float32Array;
  /** Number of chunks in the corpus at training time. */
  readonly chunkCount: number;
  /** Share of the training data's term occurrences whose terms are in the model. */
  readonly knownShare: number;
}

export interface FoldedVector {
  readonly vector: Float32Array;
  /** Number of term occurrences known to the model, and of all. */
  readonly known: number;
  readonly terms: number;
}

/**
 * Folds a text into the trained space (without the packaged embedder's dimensions) and returns its unit-length vector.
 * Unknown words are ignored. A text without any known word gets the extra dimension, which is orthogonal to all trained
 * ones, with opposite signs for queries and passages.
 */
export function foldIn(
  { rows, directions, dimensions, centre }: LsaModel,
  text: string,
  kind: 'passage' | 'query',
): FoldedVector {
  const width = dimensions - centre.length - 1;
  const sums = new Float64Array(width + 1);
  let known = 0;
  let terms = 0;
  for (const [term, count] of countTerms(text)) {
    terms += count;
    const row = rows.get(term);
    if (row === undefined) continue;
    known += count;
    const weight = localWeight(count);
    for (let at = 0, from = row * width; at < width; at++, from++) {
      sums[at] = (sums[at] ?? 0) + weight * (directions[from] ?? 0);
    }
  }
  return { vector: unitVector(sums) ?? emptyTextVector(width + 1, kind), known, terms };
}

/** Local weight of a term by its frequency in a text. */
export const localWeight = (count: number): number => 1 + Math.log(count);

function emptyTextVector(dimensions: number, kind: 'passage' | 'query'): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[dimensions - 1] = kind === 'passage' ? 1 : -1;
  return vector;
}
