import { countTerms } from '../count-terms.ts';
import { unitVector } from '../unit-vector.ts';

/** What was learned from a corpus: for each of its terms a direction, weighted by how much the term tells. */
export interface LsaModel {
  /** Unlike that of any other model, so that vectors of two are never compared. */
  readonly version: string;
  /** Of the vectors; one more than were learned, for texts without a known word. */
  readonly dimensions: number;
  /** Row of each term in `directions`. */
  readonly rows: ReadonlyMap<string, number>;
  /** One row of `dimensions - 1` numbers per term. */
  readonly directions: Float32Array;
  /** Passages the corpus had when it was learned from. */
  readonly passages: number;
  /** Of the occurrences of terms in what it was learned from, the share whose terms it knows. */
  readonly knownShare: number;
}

export interface Folded {
  readonly vector: Float32Array;
  /** Occurrences of terms the model knows, and of all. */
  readonly known: number;
  readonly terms: number;
}

/**
 * The vector of any text in the model's space, of length one. Words that the model does not know count for nothing. A
 * text without a known word points where no learned one does: at a right angle to them, and a question away from a passage.
 */
export function foldIn({ rows, directions, dimensions }: LsaModel, text: string, kind: 'passage' | 'query'): Folded {
  const width = dimensions - 1;
  const sums = new Float64Array(dimensions);
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
  return { vector: unitVector(sums) ?? nowhere(dimensions, kind), known, terms };
}

/** How much a term counts for that stands so often in a text. */
export const localWeight = (count: number): number => 1 + Math.log(count);

function nowhere(dimensions: number, kind: 'passage' | 'query'): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[dimensions - 1] = kind === 'passage' ? 1 : -1;
  return vector;
}
