import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { multiplyDense, productOfTransposed } from '../../../src/embeddings/lsa/dense-rows.ts';
import {
  type DenseRows,
  gramProduct,
  multiplyByGram,
  replacingColumns,
  type SparseRows,
} from '../../../src/embeddings/lsa/sparse-rows.ts';

/** More columns than are multiplied at a time, and an odd number of rows. */
const WIDTH = 150;
const ROWS = 7;

const numberAt = (row: number, column: number) => Math.sin(1 + row * 31 + column * 7);
const dense = (rowCount: number, width: number): DenseRows => ({
  rowCount,
  width,
  values: Float32Array.from({ length: rowCount * width }, (_, at) => numberAt(Math.floor(at / width), at % width)),
});
const toMatrix = ({ rowCount, width, values }: DenseRows): Matrix =>
  Matrix.from1DArray(rowCount, width, Float64Array.from(values));

/** Every third number of a matrix with five rows. */
function sparse(columnCount: number): SparseRows {
  const all = Array.from({ length: 5 * columnCount }, (_, at) => at).filter((at) => at % 3 === 0);
  return {
    rowCount: 5,
    columnCount,
    starts: Uint32Array.from({ length: 6 }, (_, row) => all.filter((at) => at < row * columnCount).length),
    columns: Uint16Array.from(all, (at) => at % columnCount),
    values: Float32Array.from(all, (at) => numberAt(at, 3)),
  };
}

function toFull({ rowCount, columnCount, starts, columns, values }: SparseRows): Matrix {
  const full = Matrix.zeros(rowCount, columnCount);
  for (let row = 0; row < rowCount; row++) {
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) full.set(row, columns[at] ?? 0, values[at] ?? 0);
  }
  return full;
}

function expectClose(one: Matrix, two: Matrix): void {
  expect([one.rows, one.columns]).toEqual([two.rows, two.columns]);
  expect(Matrix.sub(one, two).abs().max()).toBeLessThan(1e-3);
}

describe('products of dense rows', () => {
  it('with a Gram matrix replace the rows', () => {
    const rows = dense(ROWS, WIDTH);
    const matrix = sparse(ROWS);
    const full = toFull(matrix);
    const expected = full.transpose().mmul(full).mmul(toMatrix(rows));
    let reported = 0;
    multiplyByGram(matrix, rows, () => reported++);
    expectClose(toMatrix(rows), expected);
    expect(reported).toBeGreaterThan(0);
  });

  it('with a small matrix replace the rows, also when they are narrower', () => {
    for (const width of [WIDTH, 3]) {
      const rows = dense(ROWS, WIDTH);
      const small = toMatrix(dense(WIDTH, WIDTH));
      const expected = toMatrix(rows).mmul(small.subMatrix(0, WIDTH - 1, 0, width - 1));
      const product = multiplyDense(rows, small, width);
      expectClose(toMatrix(product), expected);
      expect(product.values.buffer).toBe(rows.values.buffer);
    }
  });

  it('with rows in blocks are those with the whole rows, also when the blocks replace the rows', () => {
    const rows = dense(ROWS, WIDTH);
    const matrix = sparse(ROWS);
    const full = toFull(matrix);
    const expected = toMatrix(rows).transpose().mmul(full.transpose()).mmul(full).mmul(toMatrix(rows));
    expectClose(
      productOfTransposed(
        rows,
        gramProduct(matrix, rows, () => {}),
      ),
      expected,
    );
    const replaced = dense(ROWS, WIDTH);
    const image = gramProduct(matrix, replaced, () => {});
    expectClose(productOfTransposed(replaced, replacingColumns(replaced, image)), expected);
    expectClose(toMatrix(replaced), full.transpose().mmul(full).mmul(toMatrix(rows)));
    const own = toMatrix(rows).transpose().mmul(toMatrix(rows));
    expectClose(productOfTransposed(rows, [{ ...rows, from: 0 }]), own);
  });
});
