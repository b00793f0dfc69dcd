import { EigenvalueDecomposition, type Matrix } from 'ml-matrix';
import { seededUniform } from '../../shared/seeded-random.ts';
import { multiplyDense, productOfTransposed } from './dense-rows.ts';
import { type DenseRows, gramProduct, multiplyByGram, replacingColumns, type SparseRows } from './sparse-rows.ts';

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
 * The largest singular values of a sparse matrix A and their right singular vectors, by the randomised SVD of Halko,
 * Martinsson and Tropp: power iterations on a random subspace, re-orthonormalised in between, then the exact SVD of A
 * projected on the result. Deterministic. In addition to the sparse matrix, it needs memory for one dense matrix, which
 * is updated in place.
 */
export function truncatedSvd(matrix: SparseRows, options: SvdOptions): TruncatedSvd {
  const { seed, powerIterations, onProgress = () => {} } = options;
  const max = Math.min(matrix.rowCount, matrix.columnCount);
  const rank = Math.min(options.rank, max);
  const width = Math.min(rank + OVERSAMPLING, max);
  const total = powerIterations + 1;
  let basis = randomRows(matrix.columnCount, width, seed);
  for (let done = 0; done < powerIterations; done++) {
    multiplyByGram(matrix, basis, (share) => onProgress({ done: done + share, total }));
    basis = orthonormal(basis);
  }
  const image = gramProduct(matrix, basis, (share) => onProgress({ done: powerIterations + share, total }));
  // With the basis Q and its image Y = AᵀA Q, the projection of A on the span of A Q has the Gram matrix F Fᵀ, where
  // F = Y (Qᵀ Y)^(-1/2). Its eigenvectors follow from those of the small matrix Fᵀ F, so that Y is multiplied only once.
  const root = inverseRoot(productOfTransposed(basis, replacingColumns(basis, image)));
  const { values, vectors } = eigenvectorsOf(congruent(gramOf(basis), root));
  const kept = Math.min(rank, values.length);
  const factors = root.mmul(scaledToInverseRoot(vectors, values));
  return {
    singularValues: Float64Array.from(values.slice(0, kept), Math.sqrt),
    right: alignSigns(multiplyDense(basis, factors, kept)),
  };
}

/** Threshold for squared values that single precision cannot distinguish from rounding errors. */
const EPSILON = 1e-7;

function randomRows(rowCount: number, width: number, seed: number): DenseRows {
  const next = gaussian(seed);
  return { rowCount, width, values: Float32Array.from({ length: rowCount * width }, next) };
}

/** An orthonormal basis of the columns' span; linearly dependent columns are dropped. */
function orthonormal(rows: DenseRows): DenseRows {
  const root = inverseRoot(gramOf(rows));
  return multiplyDense(rows, root, root.columns);
}

const gramOf = (rows: DenseRows): Matrix => productOfTransposed(rows, [{ ...rows, from: 0 }]);

/** For a positive semidefinite matrix M, a matrix R with as many columns as M has rank, for which `Rᵀ M R` is 1. */
function inverseRoot(matrix: Matrix): Matrix {
  const { values, vectors } = eigenvectorsOf(matrix);
  return scaledToInverseRoot(vectors, values);
}

function scaledToInverseRoot(vectors: Matrix, values: readonly number[]): Matrix {
  for (const [column, value] of values.entries()) vectors.mulColumn(column, 1 / Math.sqrt(value));
  return vectors;
}

/** `Rᵀ M R` */
const congruent = (matrix: Matrix, root: Matrix): Matrix => root.transpose().mmul(matrix.mmul(root));

/** The eigenvalues of a positive semidefinite matrix that are not zero, largest first, and their eigenvectors. */
function eigenvectorsOf(matrix: Matrix): { values: number[]; vectors: Matrix } {
  if (matrix.isEmpty()) return { values: [], vectors: matrix };
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, { assumeSymmetric: true });
  const valueAt = (place: number) => realEigenvalues[place] ?? 0;
  const largest = valueAt(realEigenvalues.length - 1);
  const order = realEigenvalues
    .map((_, place) => place)
    .filter((place) => valueAt(place) > largest * EPSILON)
    .reverse();
  return { values: order.map(valueAt), vectors: eigenvectorMatrix.subMatrixColumn(order) };
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
