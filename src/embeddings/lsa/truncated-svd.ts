import { EigenvalueDecomposition, type Matrix } from 'ml-matrix';
import { seededUniform } from '../../shared/seeded-random.ts';
import { multiplyDense, productOfTransposed } from './dense-rows.ts';
import { type DenseRows, gramProduct, multiplyByGram, type SparseRows } from './sparse-rows.ts';

export interface SvdOptions {
  /** Number of singular values; fewer are returned when the matrix has a lower rank. */
  readonly rank: number;
  readonly seed: number;
  /** Number of power iterations, each one a pass over the matrix. */
  readonly powerIterations: number;
  /** Called often, with the passes done, a fraction of the current one included; may throw to abort. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface TruncatedSvd {
  /** Largest first. */
  readonly singularValues: Float64Array;
  /** The right singular vectors: one row per column of the matrix, one number per singular value. */
  readonly right: DenseRows;
}

/** Additional dimensions of the random subspace, which improve the accuracy of the requested ones. */
const OVERSAMPLING = 16;

/**
 * The largest singular values of a sparse matrix and their right singular vectors, by the randomised SVD of Halko,
 * Martinsson and Tropp: power iterations on a random subspace, re-orthonormalised in between, then an exact solution of
 * the small matrix on it. Deterministic. In addition to the sparse matrix, it needs memory for one dense matrix, which
 * is updated in place.
 */
export function truncatedSvd(matrix: SparseRows, options: SvdOptions): TruncatedSvd {
  const { seed, powerIterations, onProgress = () => {} } = options;
  const max = Math.min(matrix.rowCount, matrix.columnCount);
  const rank = Math.min(options.rank, max);
  const width = Math.min(rank + OVERSAMPLING, max);
  const total = powerIterations + 2;
  let basis = randomRows(matrix.columnCount, width, seed);
  for (let done = 0; done < total - 1; done++) {
    if (done > 0) basis = orthonormal(basis);
    multiplyByGram(matrix, basis, (share) => onProgress({ done: done + share, total }));
  }
  // Orthonormalise twice, because rounding errors remain after the first pass.
  basis = orthonormal(orthonormal(basis));
  const image = gramProduct(matrix, basis, (share) => onProgress({ done: total - 1 + share, total }));
  // On an orthonormal basis Q of the subspace, AᵀA is the small matrix Qᵀ(AᵀA Q).
  const { values, vectors } = largestFirst(productOfTransposed(basis, image));
  const largest = values[0] ?? 0;
  const kept = values.filter((value, place) => place < rank && value > largest * EPSILON).length;
  return {
    singularValues: Float64Array.from(values.slice(0, kept), Math.sqrt),
    right: alignSigns(multiplyDense(basis, vectors, kept)),
  };
}

/** Threshold for squared values that single precision cannot distinguish from rounding errors. */
const EPSILON = 1e-7;

function randomRows(rowCount: number, width: number, seed: number): DenseRows {
  const next = gaussian(seed);
  return { rowCount, width, values: Float32Array.from({ length: rowCount * width }, next) };
}

/**
 * An orthonormal basis of the columns' span, by the eigenvectors of their Gram matrix; linearly dependent columns are
 * dropped.
 */
function orthonormal(rows: DenseRows): DenseRows {
  const { values, vectors } = largestFirst(productOfTransposed(rows, [{ ...rows, from: 0 }]));
  const largest = values[0] ?? 0;
  const kept = values.filter((value) => value > largest * EPSILON).length;
  for (let column = 0; column < kept; column++) {
    vectors.mulColumn(column, 1 / Math.sqrt(values[column] ?? 1));
  }
  return multiplyDense(rows, vectors, kept);
}

function largestFirst(matrix: Matrix): { values: number[]; vectors: Matrix } {
  if (matrix.isEmpty()) return { values: [], vectors: matrix };
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, { assumeSymmetric: true });
  const order = realEigenvalues.map((_, place) => place).reverse();
  return {
    values: order.map((place) => realEigenvalues[place] ?? 0),
    vectors: eigenvectorMatrix.subMatrixColumn(order),
  };
}

/** The sign of a singular vector is arbitrary; the largest component is made positive for reproducibility. */
function alignSigns(rows: DenseRows): DenseRows {
  const { width, values } = rows;
  for (let column = 0; column < width; column++) {
    let extreme = 0;
    for (let at = column; at < values.length; at += width) {
      const value = values[at] ?? 0;
      if (Math.abs(value) > Math.abs(extreme)) extreme = value;
    }
    if (extreme < 0) for (let at = column; at < values.length; at += width) values[at] = -(values[at] ?? 0);
  }
  return rows;
}

/** A generator of standard normal numbers, with the same sequence for the same seed on every machine. */
function gaussian(seed: number): () => number {
  const uniform = seededUniform(seed);
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      // Marsaglia's polar method: of its operations, only the logarithm can differ between machines, in the last bit.
      const one = 2 * uniform() - 1;
      const two = 2 * uniform() - 1;
      const square = one * one + two * two;
      if (square === 0 || square >= 1) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      spare = two * scale;
      return one * scale;
    }
  };
}
