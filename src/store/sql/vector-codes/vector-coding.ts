/** Codes of the vectors of one space, by which near vectors are preselected: a bit per dimension, but at least 256. */
export interface VectorCoding {
  /** Size of a code. */
  readonly bytes: number;
  /** Number of 32-bit words that hold a code. */
  readonly words: number;
  encode(vector: Float32Array): Uint8Array;
  /**
   * What each byte of a code adds to the estimated dot product with this vector, at index `(place << 8) | byte`. The
   * greater the sum over a code, the smaller the angle probably is.
   */
  weights(query: Float32Array): Int16Array;
}

/**
 * A vector is rotated in a fixed pseudo-random way, and the signs of its components are its code. The query is rotated
 * in the same way and keeps its components. The rotation spreads the information of a vector evenly over all
 * dimensions, even that of a sparse one. Stored codes depend on the seed and on the order of the operations below,
 * which use only IEEE arithmetic, so that codes are the same on every processor.
 */
export function vectorCoding(dimensions: number): VectorCoding {
  const bytes = Math.max(MIN_BYTES, Math.ceil(dimensions / 8));
  const rotate = createRotation(bytes * 8);
  return {
    bytes,
    words: Math.ceil(bytes / Int32Array.BYTES_PER_ELEMENT),
    encode(vector) {
      const rotated = rotate(vector);
      const code = new Uint8Array(bytes);
      for (let at = 0; at < rotated.length; at++) {
        if ((rotated[at] ?? 0) > 0) code[at >> 3] = (code[at >> 3] ?? 0) | (1 << (at & 7));
      }
      return code;
    },
    weights: (query) => weightsOf(rotate(query)),
  };
}

/** Fewer bits do not distinguish vectors well enough. */
const MIN_BYTES = 32;
const SEED = 0x9e3779b9;
const ROUNDS = 4;

/**
 * Rounds of random signs and a Walsh-Hadamard transform, over the first and the last components in turn: the length of
 * the transform must be a power of two, and twice the greatest one within `length` covers all components.
 */
function createRotation(length: number): (vector: Float32Array) => Float64Array {
  const span = 2 ** Math.floor(Math.log2(length));
  const signs = randomSigns(ROUNDS * length);
  const scale = 1 / Math.sqrt(span);
  return (vector) => {
    const turned = new Float64Array(length);
    turned.set(vector);
    for (let round = 0; round < ROUNDS; round++) {
      for (let at = 0; at < length; at++) turned[at] = (turned[at] ?? 0) * (signs[round * length + at] ?? 1);
      const first = round % 2 === 0 ? 0 : length - span;
      transform(turned.subarray(first, first + span), scale);
    }
    return turned;
  };
}

function transform(values: Float64Array, scale: number): void {
  const { length } = values;
  for (let half = 1; half < length; half *= 2) {
    for (let start = 0; start < length; start += 2 * half) {
      for (let at = start; at < start + half; at++) {
        const one = values[at] ?? 0;
        const two = values[at + half] ?? 0;
        values[at] = one + two;
        values[at + half] = one - two;
      }
    }
  }
  for (let at = 0; at < length; at++) values[at] = (values[at] ?? 0) * scale;
}

// From xorshift32, by the highest bit of each number.
function randomSigns(count: number): Int8Array {
  const signs = new Int8Array(count);
  let state = SEED;
  for (let at = 0; at < count; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    signs[at] = state < 0 ? -1 : 1;
  }
  return signs;
}

/** Components of the query are scaled to integers up to this, so that sums of eight fit into 16 bits. */
const LARGEST = 2_047;

function weightsOf(query: Float64Array): Int16Array {
  let largest = 0;
  for (const component of query) largest = Math.max(largest, Math.abs(component));
  const scale = largest === 0 ? 0 : LARGEST / largest;
  const weights = new Int16Array((query.length / 8) * 256);
  for (let place = 0; place < query.length / 8; place++) {
    const components = query.subarray(place * 8, place * 8 + 8).map((component) => Math.round(component * scale));
    weights[place << 8] = -components.reduce((sum, component) => sum + component, 0);
    // The weight of a byte is that of the byte without its highest bit, plus twice the component of that bit.
    for (let bit = 0; bit < 8; bit++) {
      const doubled = 2 * (components[bit] ?? 0);
      for (let rest = 0; rest < 1 << bit; rest++) {
        weights[(place << 8) | (1 << bit) | rest] = (weights[(place << 8) | rest] ?? 0) + doubled;
      }
    }
  }
  return weights;
}
