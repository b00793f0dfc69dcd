import { Matrix } from 'ml-matrix';
import type { DenseRows } from './sparse-rows.ts';

/**
 * `OneᵀTwo`, where the result is known to be symmetric: only the upper half is computed. Its size is the width of the
 * rows. Processes four rows at a time, which is three times as fast as one by one.
 */
export function productOfTransposed(one: DenseRows, two: DenseRows): Matrix {
  const { width, rowCount } = one;
  const sums = new Float64Array(width * width);
  const left = one.values;
  const right = two.values;
  for (let row = 0; row < rowCount; row += 4) {
    const first = row * width;
    // Beyond the last row the factor is 0, so any row can be used.
    const second = row + 1 < rowCount ? first + width : first;
    const third = row + 2 < rowCount ? second + width : first;
    const fourth = row + 3 < rowCount ? third + width : first;
    for (let i = 0; i < width; i++) {
      const a = left[first + i] ?? 0;
      const b = second === first ? 0 : (left[second + i] ?? 0);
      const c = third === first ? 0 : (left[third + i] ?? 0);
      const d = fourth === first ? 0 : (left[fourth + i] ?? 0);
      const start = i * width;
      for (let j = i; j < width; j++) {
        sums[start + j] =
          (sums[start + j] ?? 0) +
          a * (right[first + j] ?? 0) +
          b * (right[second + j] ?? 0) +
          c * (right[third + j] ?? 0) +
          d * (right[fourth + j] ?? 0);
      }
    }
  }
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) sums[i * width + j] = sums[j * width + i] ?? 0;
  return Matrix.from1DArray(width, width, sums);
}

/** Multiplies the rows with the first `width` columns of a small matrix. */
export function multiplyDense(rows: DenseRows, matrix: Matrix, width: number): DenseRows {
  const depth = rows.width;
  // Padded with zeros to a multiple of four.
  const padded = Math.ceil(depth / 4) * 4;
  const factors = new Float32Array(padded * width);
  for (let i = 0; i < depth; i++) for (let j = 0; j < width; j++) factors[i * width + j] = matrix.get(i, j);
  const values = new Float32Array(rows.rowCount * width);
  const row = new Float32Array(padded);
  for (let at = 0; at < rows.rowCount; at++) {
    row.set(rows.values.subarray(at * depth, (at + 1) * depth));
    const start = at * width;
    for (let i = 0; i < padded; i += 4) {
      const a = row[i] ?? 0;
      const b = row[i + 1] ?? 0;
      const c = row[i + 2] ?? 0;
      const d = row[i + 3] ?? 0;
      const first = i * width;
      const second = first + width;
      const third = second + width;
      const fourth = third + width;
      for (let j = 0; j < width; j++) {
        values[start + j] =
          (values[start + j] ?? 0) +
          a * (factors[first + j] ?? 0) +
          b * (factors[second + j] ?? 0) +
          c * (factors[third + j] ?? 0) +
          d * (factors[fourth + j] ?? 0);
      }
    }
  }
  return { rowCount: rows.rowCount, width, values };
}
