import fc from 'fast-check';
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import type { SparseRows } from '../../../src/embeddings/lsa/sparse-rows.ts';
import { truncatedSvd } from '../../../src/embeddings/lsa/truncated-svd.ts';
import { seededUniform } from '../../../src/shared/seeded-random.ts';

function sparse(rows: readonly (readonly number[])[]): SparseRows {
  const entries = rows.map((row) => row.flatMap((value, column) => (value === 0 ? [] : [{ column, value }])));
  const starts = new Uint32Array(rows.length + 1);
  for (const [place, row] of entries.entries()) starts[place + 1] = (starts[place] ?? 0) + row.length;
  return {
    rowCount: rows.length,
    columnCount: rows[0]?.length ?? 0,
    starts,
    columns: Uint16Array.from(entries.flat(), ({ column }) => column),
    values: Float32Array.from(entries.flat(), ({ value }) => value),
  };
}

const fillWith = (next: () => number) =>
  function (this: Matrix, row: number, column: number) {
    this.set(row, column, next() - 0.5);
  };

const options = { seed: 7, powerIterations: 3 };

// Term-document matrix of the textbook example of latent semantic indexing.
const small = [
  [1, 0, 1, 0, 0, 0],
  [0, 1, 0, 0, 0, 0],
  [1, 1, 0, 0, 0, 0],
  [1, 0, 0, 1, 1, 0],
  [0, 0, 0, 1, 0, 1],
];

describe('the truncated singular value decomposition', () => {
  it('gives the singular values of a small matrix to four places', () => {
    const { singularValues } = truncatedSvd(sparse(small), { ...options, rank: 5 });
    const known = [2.1625, 1.5944, 1.2753, 1.0, 0.3939];
    for (const [place, value] of known.entries()) expect(singularValues[place]).toBeCloseTo(value, 4);
  });

  it('agrees with a full decomposition for any small matrix', () => {
    const numbers = fc.array(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 6, maxLength: 6 }), {
      minLength: 8,
      maxLength: 12,
    });
    fc.assert(
      fc.property(numbers, (rows) => {
        const { singularValues, right } = truncatedSvd(sparse(rows), { ...options, rank: 3 });
        const full = new SingularValueDecomposition(new Matrix(rows));
        const matrix = new Matrix(rows);
        for (const [place, value] of singularValues.entries()) {
          expect(Math.abs(value - (full.diagonal[place] ?? 0))).toBeLessThan(1e-2);
          // |A v| is the singular value of v, whichever vectors are returned for equal singular values.
          const column = Array.from({ length: 6 }, (_, row) => right.values[row * right.width + place] ?? 0);
          expect(Math.abs(matrix.mmul(Matrix.columnVector(column)).norm() - value)).toBeLessThan(1e-2);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('spans the same space as a full decomposition for any matrix, of whatever rank', () => {
    const sides = fc.record({
      rows: fc.integer({ min: 1, max: 30 }),
      columns: fc.integer({ min: 1, max: 30 }),
      rank: fc.integer({ min: 1, max: 6 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(sides, ({ rows, columns, rank, seed }) => {
        const next = seededUniform(seed);
        const random = (height: number, width: number) => Matrix.zeros(height, width).apply(fillWith(next));
        const matrix = random(rows, rank).mmul(random(rank, columns));
        const { singularValues, right } = truncatedSvd(sparse(matrix.to2DArray()), { ...options, rank: 30 });
        const full = new SingularValueDecomposition(matrix, { autoTranspose: true });
        const [largest = 0] = full.diagonal;
        expect(singularValues.length).toBeLessThanOrEqual(Math.min(rows, columns, rank));
        for (const [place, value] of singularValues.entries()) {
          expect(Math.abs(value - (full.diagonal[place] ?? 0))).toBeLessThan(1e-3 * largest);
        }
        const vectors = Matrix.from1DArray(columns, right.width, Float64Array.from(right.values));
        const products = vectors.transpose().mmul(vectors);
        expect(Matrix.sub(products, Matrix.eye(right.width)).abs().max()).toBeLessThan(1e-4);
        // What the vectors leave of the matrix is at most the values that single precision lost.
        const left = Matrix.sub(matrix, matrix.mmul(vectors).mmul(vectors.transpose()));
        expect(left.abs().max()).toBeLessThan(0.03 * largest);
      }),
      { numRuns: 60 },
    );
  });

  it('is bit-identical for the same seed', () => {
    const run = () => truncatedSvd(sparse(small), { ...options, rank: 3 });
    expect(run()).toEqual(run());
  });

  it('gives fewer values than requested when the rank is lower', () => {
    const twice = [
      [1, 2, 0],
      [2, 4, 0],
    ];
    expect(truncatedSvd(sparse(twice), { ...options, rank: 3 }).singularValues).toHaveLength(1);
    expect(truncatedSvd(sparse([[0, 0]]), { ...options, rank: 2 }).right.values).toHaveLength(0);
  });

  it('reports its progress within each pass over the matrix', () => {
    const rows = Array.from({ length: 1_200 }, (_, row) => [row % 7, row % 5, row % 3]);
    const shares: number[] = [];
    truncatedSvd(sparse(rows), {
      ...options,
      rank: 2,
      onProgress: ({ done, total }) => shares.push(Math.round((100 * done) / total)),
    });
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    const perPass = [0, 500 / 1_200, 1_000 / 1_200];
    const passes = options.powerIterations + 1;
    const expected = Array.from({ length: passes }, (_, pass) => perPass.map((share) => (pass + share) / passes));
    expect(shares).toEqual(expected.flat().map((share) => Math.round(100 * share)));
  });

  it('can be aborted', () => {
    const stop = () => {
      throw new Error('enough');
    };
    expect(() => truncatedSvd(sparse(small), { ...options, rank: 2, onProgress: stop })).toThrow('enough');
  });
});
