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

/** Consecutive columns of a dense matrix; `from` is the index of the first one. */
export interface ColumnBlock extends DenseRows {
  readonly from: number;
}

/** Columns multiplied at a time: enough to amortise reading the sparse matrix, few enough to keep buffers small. */
const BLOCK_WIDTH = 64;
const ROWS_PER_PROGRESS = 500;

/**
 * Yields `AᵀA · B` in blocks of columns, each valid only until the next. Allocates nothing of the size of A or B. The
 * caller may overwrite the block's columns in B, because later blocks do not depend on them. `onProgress` is called
 * periodically with the share done, from 0 to 1, and may throw to abort.
 */
export function* gramProduct(
  matrix: SparseRows,
  rows: DenseRows,
  onProgress: (share: number) => void,
): Generator<ColumnBlock> {
  const { columnCount } = matrix;
  const max = Math.min(BLOCK_WIDTH, rows.width);
  const source = new Float32Array(columnCount * max);
  const product = new Float32Array(columnCount * max);
  for (let from = 0; from < rows.width; from += max) {
    const width = Math.min(max, rows.width - from);
    for (let row = 0; row < columnCount; row++) {
      const start = row * rows.width + from;
      source.set(rows.values.subarray(start, start + width), row * width);
    }
    product.fill(0);
    multiply(matrix, { source, product, width }, (share) => onProgress((from + width * share) / rows.width));
    yield { from, width, rowCount: columnCount, values: product };
  }
}

/** Replaces B by `AᵀA · B` in place. */
export function multiplyByGram(matrix: SparseRows, rows: DenseRows, onProgress: (share: number) => void): void {
  for (const { from, width, rowCount, values } of gramProduct(matrix, rows, onProgress)) {
    for (let row = 0; row < rowCount; row++) {
      rows.values.set(values.subarray(row * width, (row + 1) * width), row * rows.width + from);
    }
  }
}

interface MultiplyParts {
  readonly source: Float32Array;
  readonly product: Float32Array;
  readonly width: number;
}

function multiply(
  matrix: SparseRows,
  { source, product, width }: MultiplyParts,
  onProgress: (share: number) => void,
): void {
  const { rowCount, starts, columns, values: entries } = matrix;
  const rowProduct = new Float32Array(width);
  for (let row = 0; row < rowCount; row++) {
    if (row % ROWS_PER_PROGRESS === 0) onProgress(row / rowCount);
    const start = starts[row] ?? 0;
    const end = starts[row + 1] ?? 0;
    rowProduct.fill(0);
    for (let at = start; at < end; at++) {
      const first = (columns[at] ?? 0) * width;
      const entry = entries[at] ?? 0;
      for (let i = 0; i < width; i++) rowProduct[i] = (rowProduct[i] ?? 0) + entry * (source[first + i] ?? 0);
    }
    for (let at = start; at < end; at++) {
      const first = (columns[at] ?? 0) * width;
      const entry = entries[at] ?? 0;
      for (let i = 0; i < width; i++) product[first + i] = (product[first + i] ?? 0) + entry * (rowProduct[i] ?? 0);
    }
  }
}
