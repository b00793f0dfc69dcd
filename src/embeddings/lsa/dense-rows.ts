import { Matrix } from 'ml-matrix';
import type { ColumnBlock, DenseRows } from './sparse-rows.ts';

/** Loop unrolling: rows added and columns multiplied per iteration; several times as fast as one at a time. */
const ROWS_PER_PASS = 4;

/**
 * Computes `OneᵀTwo` for a result known to be symmetric, so only the upper triangle is calculated. Two is given as
 * blocks of columns. The result is square, with the width of One.
 */
export function productOfTransposed(one: DenseRows, two: Iterable<ColumnBlock>): Matrix {
  const { width } = one;
  const sums = new Float64Array(width * width);
  for (const block of two) addUpperHalf(sums, one, block);
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) sums[i * width + j] = sums[j * width + i] ?? 0;
  return Matrix.from1DArray(width, width, sums);
}

function addUpperHalf(sums: Float64Array, one: DenseRows, block: ColumnBlock): void {
  const { width, rowCount } = one;
  const { from } = block;
  const to = from + block.width;
  // Buffers in double precision, so that each number is converted once. Rows beyond the last are zeros.
  const left = Array.from({ length: ROWS_PER_PASS }, () => new Float64Array(width));
  const right = Array.from({ length: ROWS_PER_PASS }, () => new Float64Array(to));
  for (let row = 0; row < rowCount; row += ROWS_PER_PASS) {
    for (let at = 0; at < ROWS_PER_PASS; at++) {
      copyRow(one, row + at, left[at], 0);
      copyRow(block, row + at, right[at], from);
    }
    addProducts(sums, { left, right, width, from, to });
  }
}

interface RowGroup {
  readonly left: readonly Float64Array[];
  readonly right: readonly Float64Array[];
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

const NONE = new Float64Array();

function addProducts(sums: Float64Array, { left, right, width, from, to }: RowGroup): void {
  const [a = NONE, b = NONE, c = NONE, d = NONE] = left;
  const [k = NONE, l = NONE, m = NONE, n = NONE] = right;
  // Computes two rows of sums per iteration, so that each number on the right is read once for both.
  for (let i = 0; i < to; i += 2) {
    const p = a[i] ?? 0;
    const q = b[i] ?? 0;
    const r = c[i] ?? 0;
    const s = d[i] ?? 0;
    const t = a[i + 1] ?? 0;
    const u = b[i + 1] ?? 0;
    const v = c[i + 1] ?? 0;
    const w = d[i + 1] ?? 0;
    const first = i * width;
    const second = first + width;
    const isLast = i + 1 >= width;
    for (let j = Math.max(i, from); j < to; j++) {
      const x = k[j] ?? 0;
      const y = l[j] ?? 0;
      const z = m[j] ?? 0;
      const o = n[j] ?? 0;
      sums[first + j] = (sums[first + j] ?? 0) + p * x + q * y + r * z + s * o;
      if (!isLast) sums[second + j] = (sums[second + j] ?? 0) + t * x + u * y + v * z + w * o;
    }
  }
}

function copyRow({ rowCount, width, values }: DenseRows, row: number, target = NONE, start = 0): void {
  if (row >= rowCount) target.fill(0);
  else target.set(values.subarray(row * width, (row + 1) * width), start);
}

/** Multiplies the rows by the first `width` columns of a small matrix in place, without allocating a second matrix. */
export function multiplyDense(rows: DenseRows, matrix: Matrix, width: number): DenseRows {
  const { rowCount, width: depth, values } = rows;
  const padded = Math.ceil(depth / ROWS_PER_PASS) * ROWS_PER_PASS;
  const factors = new Float32Array(padded * width);
  for (let i = 0; i < depth; i++) for (let j = 0; j < width; j++) factors[i * width + j] = matrix.get(i, j);
  const one = new Float64Array(padded);
  const two = new Float64Array(padded);
  const products = { one: new Float32Array(width), two: new Float32Array(width) };
  for (let at = 0; at < rowCount; at += 2) {
    copyRow(rows, at, one);
    copyRow(rows, at + 1, two);
    multiplyRows({ one, two, factors }, products);
    // Overwriting is safe: both rows have been read, and the products end before the next unread row.
    values.set(products.one, at * width);
    if (at + 1 < rowCount) values.set(products.two, (at + 1) * width);
  }
  return { rowCount, width, values: values.subarray(0, rowCount * width) };
}

interface TwoRows {
  readonly one: Float64Array;
  readonly two: Float64Array;
  readonly factors: Float32Array;
}

/** Multiplies two rows at a time, so that each factor is read once for both. */
function multiplyRows(
  { one, two, factors }: TwoRows,
  products: { readonly one: Float32Array; readonly two: Float32Array },
): void {
  const width = products.one.length;
  const first = products.one.fill(0);
  const second = products.two.fill(0);
  for (let i = 0; i < one.length; i += ROWS_PER_PASS) {
    const a = one[i] ?? 0;
    const b = one[i + 1] ?? 0;
    const c = one[i + 2] ?? 0;
    const d = one[i + 3] ?? 0;
    const e = two[i] ?? 0;
    const f = two[i + 1] ?? 0;
    const g = two[i + 2] ?? 0;
    const h = two[i + 3] ?? 0;
    const k = i * width;
    const l = k + width;
    const m = l + width;
    const n = m + width;
    for (let j = 0; j < width; j++) {
      const p = factors[k + j] ?? 0;
      const q = factors[l + j] ?? 0;
      const r = factors[m + j] ?? 0;
      const s = factors[n + j] ?? 0;
      first[j] = (first[j] ?? 0) + a * p + b * q + c * r + d * s;
      second[j] = (second[j] ?? 0) + e * p + f * q + g * r + h * s;
    }
  }
}
