import type { PackagedModel, StaticModel } from '../static/static-model.ts';
import { unitVector } from '../unit-vector.ts';

/** Weight of the packaged embedder in the similarity; tuned on half of the test collections' questions. */
const PACKAGED_SHARE = 0.4;
/** Sample size for the mean vector; larger samples hardly change it. */
const TEXTS_FOR_CENTRE = 2_000;

export interface JoinParts {
  readonly text: string;
  readonly kind: 'passage' | 'query';
  /** The text's vector in the trained space. */
  readonly learned: Float32Array;
  readonly centre: Float32Array;
}

/**
 * Concatenates the trained vector of a text with the packaged embedder's, which knows synonyms that the corpus does not
 * teach. The latter is first centred on the corpus mean, since what all texts have in common distinguishes none. Its
 * weight is reduced for queries with words that it does not know.
 */
export function joinPackaged(model: PackagedModel, { text, kind, learned, centre }: JoinParts): Float32Array {
  const share = kind === 'query' ? PACKAGED_SHARE * model.vocabularyCoverage(text) : PACKAGED_SHARE;
  const joined = new Float64Array(learned.length + centre.length);
  append(joined, 0, learned, Math.sqrt(1 - share));
  const centred = model.embed(text)?.map((value, at) => value - (centre[at] ?? 0));
  const unit = centred && unitVector(centred);
  if (unit) append(joined, learned.length, unit, Math.sqrt(share));
  return unitVector(joined) ?? learned;
}

function append(target: Float64Array, start: number, vector: Float32Array, factor: number): void {
  for (let at = 0; at < vector.length; at++) target[start + at] = factor * (vector[at] ?? 0);
}

/** Computes the mean of the packaged embedder's vectors over a sample of `total` texts, added one by one. */
export function createCentre(model: StaticModel, total: number) {
  const sum = new Float64Array(model.dimensions);
  const step = Math.max(1, Math.ceil(total / TEXTS_FOR_CENTRE));
  let seen = 0;
  let counted = 0;
  return {
    add(text: string): void {
      const vector = seen++ % step === 0 ? model.embed(text) : undefined;
      if (vector === undefined) return;
      counted++;
      for (let at = 0; at < vector.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
    },
    mean: (): Float32Array => Float32Array.from(sum, (value) => value / Math.max(1, counted)),
  };
}
