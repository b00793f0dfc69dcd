import type { CodeSegment } from './loaded-codes.ts';
import type { VectorCoding } from './vector-coding.ts';

export interface LikelyQuery {
  readonly segments: readonly CodeSegment[];
  readonly vector: Float32Array;
  readonly count: number;
  /** Whether a chunk may be a candidate. */
  readonly passes: (key: number) => boolean;
}

/** Per candidate, the number of codes with the fewest differing bits for which the slower estimate is computed. */
const ESTIMATES_PER_CANDIDATE = 16;

/**
 * Keys of the chunks whose vectors are probably nearest to this one by angle, in no particular order. Codes are
 * compared first by the number of bits in which they differ, and the best of them by the estimated product.
 */
export function likelyKeys({ encode, weights: weigh, bytes, words }: VectorCoding, query: LikelyQuery): number[] {
  const { segments, vector, count, passes } = query;
  const code = new Int32Array(words);
  new Uint8Array(code.buffer).set(encode(vector));
  const histogram = new Uint32Array(words * 32 + 1);
  const differences = segments.map((segment) => countDifferences(segment, code, histogram, passes));
  const max = smallestBoundHolding(histogram, count * ESTIMATES_PER_CANDIDATE);
  const weights = weigh(vector);
  const keys: number[] = [];
  const estimates: number[] = [];
  for (const [index, segment] of segments.entries()) {
    const ofSegment = differences[index] ?? new Uint16Array(0);
    const codes = new Uint8Array(segment.codes.buffer);
    for (let row = 0; row < segment.count; row++) {
      if ((ofSegment[row] ?? SKIPPED) > max) continue;
      let sum = 0;
      const start = row * words * Int32Array.BYTES_PER_ELEMENT;
      for (let place = 0; place < bytes; place++) sum += weights[(place << 8) | (codes[start + place] ?? 0)] ?? 0;
      keys.push(segment.keys[row] ?? 0);
      estimates.push(sum);
    }
  }
  if (keys.length <= count) return keys;
  const sorted = Float64Array.from(estimates).sort();
  const min = sorted[sorted.length - count] ?? 0;
  const above = keys.filter((_, at) => (estimates[at] ?? 0) > min);
  const equal = keys.filter((_, at) => estimates[at] === min);
  return [...above, ...equal.slice(0, count - above.length)];
}

/** Stands for the difference of a chunk that does not pass. */
const SKIPPED = 0xffff;

function countDifferences(
  { keys, codes, count }: CodeSegment,
  query: Int32Array,
  histogram: Uint32Array,
  passes: (key: number) => boolean,
): Uint16Array {
  const differences = new Uint16Array(count).fill(SKIPPED);
  const { length } = query;
  for (let row = 0; row < count; row++) {
    if (!passes(keys[row] ?? 0)) continue;
    let different = 0;
    for (let word = 0, at = row * length; word < length; word++, at++)
      different += countBits((codes[at] ?? 0) ^ (query[word] ?? 0));
    differences[row] = different;
    histogram[different] = (histogram[different] ?? 0) + 1;
  }
  return differences;
}

/** The number of bits set, summed in parallel within the word. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The least difference that is not exceeded by at least `wanted` codes. */
function smallestBoundHolding(histogram: Uint32Array, wanted: number): number {
  let held = 0;
  let difference = 0;
  for (; difference < histogram.length - 1; difference++) {
    held += histogram[difference] ?? 0;
    if (held >= wanted) break;
  }
  return difference;
}
