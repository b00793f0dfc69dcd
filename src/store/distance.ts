import type { DistanceMeasure } from './chunk-search.ts';

/** Distance between two vectors of the same length; smaller is nearer. */
type Distance = (one: Float32Array, two: Float32Array) => number;

/**
 * The distance measures of the contract (docs/contract.md 4.1), defined as in pgvector where applicable. For vectors
 * of real numbers `hamming_distance` is the share of components whose signs differ, and `jaccard_distance` compares the
 * sets of components above zero.
 */
const distances: Readonly<Record<Exclude<DistanceMeasure, 'cosine_distance'>, Distance>> = {
  l2_distance: euclidean,
  max_inner_product: (one, two) => -dot(one, two),
  l1_distance: manhattan,
  hamming_distance: hamming,
  jaccard_distance: jaccard,
};

/** Returns a function that measures the distance from a fixed vector, for comparing it with many others. */
export function distanceFrom(measure: DistanceMeasure, one: Float32Array): (other: Float32Array) => number {
  if (measure === 'cosine_distance') return cosineFrom(one);
  const distance = distances[measure];
  return (other) => distance(one, other);
}

function dot(one: Float32Array, two: Float32Array): number {
  let even = 0;
  let odd = 0;
  for (let at = 0; at < one.length; at += 2) {
    even += (one[at] ?? 0) * (two[at] ?? 0);
    odd += (one[at + 1] ?? 0) * (two[at + 1] ?? 0);
  }
  return even + odd;
}

// A zero vector has no direction: its cosine distance to every vector is 1.
function cosineFrom(one: Float32Array): (two: Float32Array) => number {
  const oneSquared = dot(one, one);
  return (two) => {
    // Both products in one pass. Separate sums for even and odd components break the dependency between additions.
    let even = 0;
    let odd = 0;
    let evenSquared = 0;
    let oddSquared = 0;
    for (let at = 0; at < one.length; at += 2) {
      const first = two[at] ?? 0;
      const second = two[at + 1] ?? 0;
      even += (one[at] ?? 0) * first;
      odd += (one[at + 1] ?? 0) * second;
      evenSquared += first * first;
      oddSquared += second * second;
    }
    const lengths = Math.sqrt(oneSquared * (evenSquared + oddSquared));
    return lengths === 0 ? 1 : 1 - (even + odd) / lengths;
  };
}

function euclidean(one: Float32Array, two: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += ((one[at] ?? 0) - (two[at] ?? 0)) ** 2;
  return Math.sqrt(sum);
}

function manhattan(one: Float32Array, two: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += Math.abs((one[at] ?? 0) - (two[at] ?? 0));
  return sum;
}

function hamming(one: Float32Array, two: Float32Array): number {
  let different = 0;
  for (let at = 0; at < one.length; at++) if ((one[at] ?? 0) > 0 !== (two[at] ?? 0) > 0) different++;
  return one.length === 0 ? 0 : different / one.length;
}

function jaccard(one: Float32Array, two: Float32Array): number {
  let intersection = 0;
  let union = 0;
  for (let at = 0; at < one.length; at++) {
    const inOne = (one[at] ?? 0) > 0;
    const inTwo = (two[at] ?? 0) > 0;
    if (inOne && inTwo) intersection++;
    if (inOne || inTwo) union++;
  }
  return union === 0 ? 0 : 1 - intersection / union;
}
