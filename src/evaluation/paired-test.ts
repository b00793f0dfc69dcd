import { seededBits } from '../shared/seeded-random.ts';

/** Comparison of the same queries in two runs. */
export interface PairedComparison {
  readonly pairs: number;
  readonly wins: number;
  readonly losses: number;
  /** Over all pairs; above 0 when the later run is better. */
  readonly meanDifference: number;
  /** Two-sided p-value of a mean difference at least this large. */
  readonly pValue: number;
}

/** Up to this many differing pairs all sign assignments are enumerated; beyond, they are sampled. */
const MAX_EXACT = 16;
const SAMPLES = 20_000;
const SEED = 20_261_121;
/** Tolerance, because sums in another order differ in the last digits. */
const ROUNDING = 1e-9;

/**
 * Paired randomisation (permutation) test of differences, later minus earlier: under the null hypothesis each
 * difference could have the opposite sign. No distribution is assumed. The sample is drawn with a fixed seed, so that
 * the same differences always give the same p-value.
 */
export function comparePairs(differences: readonly number[]): PairedComparison {
  const nonZero = differences.filter((difference) => Math.abs(difference) > ROUNDING);
  const sum = nonZero.reduce((all, difference) => all + difference, 0);
  const sizes = nonZero.map(Math.abs);
  const observed = Math.abs(sum) - ROUNDING;
  return {
    pairs: differences.length,
    wins: nonZero.filter((difference) => difference > 0).length,
    losses: nonZero.filter((difference) => difference < 0).length,
    meanDifference: differences.length === 0 ? 0 : sum / differences.length,
    pValue: sizes.length <= MAX_EXACT ? exactShare(sizes, observed) : sampledShare(sizes, observed),
  };
}

/** Share of all sign assignments whose sum is at least as far from 0. */
function exactShare(sizes: readonly number[], observed: number): number {
  const assignments = 2 ** sizes.length;
  let extreme = 0;
  for (let assignment = 0; assignment < assignments; assignment++) {
    let sum = 0;
    for (const [place, size] of sizes.entries()) sum += (assignment >>> place) & 1 ? size : -size;
    if (Math.abs(sum) >= observed) extreme += 1;
  }
  return extreme / assignments;
}

/** The same share of a sample that includes the observation itself, and is therefore never 0. */
function sampledShare(sizes: readonly number[], observed: number): number {
  const nextBits = seededBits(SEED);
  let extreme = 1;
  for (let sample = 0; sample < SAMPLES; sample++) {
    let sum = 0;
    let bits = 0;
    for (const [place, size] of sizes.entries()) {
      if (place % 32 === 0) bits = nextBits();
      sum += bits & 1 ? size : -size;
      bits >>>= 1;
    }
    if (Math.abs(sum) >= observed) extreme += 1;
  }
  return extreme / (SAMPLES + 1);
}
