/** A sparse matrix in CSR format: row `r` has `values[i]` in column `columns[i]`, `starts[r] <= i < starts[r + 1]`. */
export interface SparseRows {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** A dense matrix, row-major. */
export interface DenseRows {
  readonly rowCount: number;
  readonly width: number;
  readonly values: Float32Array;
}

/**
 * `AᵀA · B` in one pass over the rows of A, so that no intermediate as long as A is stored. `onProgress` is called
 * periodically and may throw to abort.
 */
export function multiplyByGram(matrix: SparseRows, { width, values }: DenseRows, onProgress: () => void): DenseRows {
  const { rowCount, columnCount, starts, columns, values: entries } = matrix;
  const product = new Float32Array(columnCount * width);
  const rowProduct = new Float32Array(width);
  for (let row = 0; row < rowCount; row++) {
    if (row % ROWS_PER_PROGRESS === 0) onProgress();
    const start = starts[row] ?? 0;
    const end = starts[row + 1] ?? 0;
    rowProduct.fill(0);
    for (let at = start; at < end; at++) {
      addScaled(rowProduct, 0, values, (columns[at] ?? 0) * width, entries[at] ?? 0, width);
    }
    for (let at = start; at < end; at++) {
      addScaled(product, (columns[at] ?? 0) * width, rowProduct, 0, entries[at] ?? 0, width);
    }
  }
  return { rowCount: columnCount, width, values: product };
}

const ROWS_PER_PROGRESS = 500;

/** Adds `factor` times a range of one array to a range of another. */
function addScaled(
  target: Float32Array,
  targetStart: number,
  source: Float32Array,
  sourceStart: number,
  factor: number,
  length: number,
): void {
  for (let at = 0; at < length; at++) {
    target[targetStart + at] = (target[targetStart + at] ?? 0) + factor * (source[sourceStart + at] ?? 0);
  }
}
