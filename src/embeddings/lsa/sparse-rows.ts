/** A sparse matrix in CSR format: row `r` has `values[i]` in column `columns[i]`, `starts[r] <= i < starts[r + 1]`. */
export interface SparseRows {
  readonly rowCount: number;
  /** At most 65,536. */
  readonly columnCount: number;
  readonly starts: Uint32Array;
  readonly columns: Uint16Array;
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

/** Columns multiplied at a time: enough to amortise reading the sparse matrix, few enough to keep buffers in the cache. */
const BLOCK_WIDTH = 32;
/** Entries of a row multiplied per iteration, faster than one at a time. */
const ENTRIES_PER_PASS = 4;
const ROWS_PER_PROGRESS = 500;

/**
 * Yields `AᵀA · B` in blocks of columns, each valid only until the next. Allocates nothing of the size of A or B. Blocks
 * come last columns first; the caller may overwrite the block's columns in B, because later blocks do not depend on
 * them. `onProgress` is called periodically with the share done, from 0 to 1, and may throw to abort.
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
  for (let to = rows.width; to > 0; to -= max) {
    const from = Math.max(0, to - max);
    const width = to - from;
    for (let row = 0; row < columnCount; row++) {
      const start = row * rows.width + from;
      source.set(rows.values.subarray(start, start + width), row * width);
    }
    product.fill(0);
    multiply(matrix, { source, product, width }, (share) => onProgress((rows.width - to + width * share) / rows.width));
    yield { from, width, rowCount: columnCount, values: product };
  }
}

/** Replaces B by `AᵀA · B` in place. */
export function multiplyByGram(matrix: SparseRows, rows: DenseRows, onProgress: (share: number) => void): void {
  for (const block of gramProduct(matrix, rows, onProgress)) writeColumns(rows, block);
}

/** Passes on the blocks, and writes each into its columns of the rows as soon as the next one is requested. */
export function* replacingColumns(rows: DenseRows, blocks: Iterable<ColumnBlock>): Generator<ColumnBlock> {
  for (const block of blocks) {
    yield block;
    writeColumns(rows, block);
  }
}

function writeColumns(rows: DenseRows, { from, width, rowCount, values }: ColumnBlock): void {
  for (let row = 0; row < rowCount; row++) {
    rows.values.set(values.subarray(row * width, (row + 1) * width), row * rows.width + from);
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
  const { rowCount, starts } = matrix;
  const rowProduct = new Float64Array(width);
  for (let row = 0; row < rowCount; row++) {
    if (row % ROWS_PER_PROGRESS === 0) onProgress(row / rowCount);
    const start = starts[row] ?? 0;
    const end = starts[row + 1] ?? 0;
    rowProduct.fill(0);
    gather(matrix, { start, end, source, rowProduct });
    scatter(matrix, { start, end, product, rowProduct });
  }
}

interface RowParts {
  /** The row's entries. */
  readonly start: number;
  readonly end: number;
  readonly rowProduct: Float64Array;
}

/** Adds the product of a row with the source to `rowProduct`. */
function gather(
  { columns, values }: SparseRows,
  { start, end, source, rowProduct }: RowParts & { readonly source: Float32Array },
): void {
  const width = rowProduct.length;
  const groupsEnd = end - ((end - start) % ENTRIES_PER_PASS);
  for (let at = start; at < groupsEnd; at += ENTRIES_PER_PASS) {
    const a = (columns[at] ?? 0) * width;
    const b = (columns[at + 1] ?? 0) * width;
    const c = (columns[at + 2] ?? 0) * width;
    const d = (columns[at + 3] ?? 0) * width;
    const p = values[at] ?? 0;
    const q = values[at + 1] ?? 0;
    const r = values[at + 2] ?? 0;
    const s = values[at + 3] ?? 0;
    for (let i = 0; i < width; i++) {
      const k = source[a + i] ?? 0;
      const l = source[b + i] ?? 0;
      const m = source[c + i] ?? 0;
      const n = source[d + i] ?? 0;
      rowProduct[i] = (rowProduct[i] ?? 0) + p * k + q * l + r * m + s * n;
    }
  }
  for (let at = groupsEnd; at < end; at++) {
    const first = (columns[at] ?? 0) * width;
    const entry = values[at] ?? 0;
    for (let i = 0; i < width; i++) rowProduct[i] = (rowProduct[i] ?? 0) + entry * (source[first + i] ?? 0);
  }
}

/** Adds the product of a transposed row with `rowProduct` to the product. */
function scatter(
  { columns, values }: SparseRows,
  { start, end, product, rowProduct }: RowParts & { readonly product: Float32Array },
): void {
  const width = rowProduct.length;
  const groupsEnd = end - ((end - start) % ENTRIES_PER_PASS);
  for (let at = start; at < groupsEnd; at += ENTRIES_PER_PASS) {
    const a = (columns[at] ?? 0) * width;
    const b = (columns[at + 1] ?? 0) * width;
    const c = (columns[at + 2] ?? 0) * width;
    const d = (columns[at + 3] ?? 0) * width;
    const p = values[at] ?? 0;
    const q = values[at + 1] ?? 0;
    const r = values[at + 2] ?? 0;
    const s = values[at + 3] ?? 0;
    for (let i = 0; i < width; i++) {
      const factor = rowProduct[i] ?? 0;
      product[a + i] = (product[a + i] ?? 0) + p * factor;
      product[b + i] = (product[b + i] ?? 0) + q * factor;
      product[c + i] = (product[c + i] ?? 0) + r * factor;
      product[d + i] = (product[d + i] ?? 0) + s * factor;
    }
  }
  for (let at = groupsEnd; at < end; at++) {
    const first = (columns[at] ?? 0) * width;
    const entry = values[at] ?? 0;
    for (let i = 0; i < width; i++) product[first + i] = (product[first + i] ?? 0) + entry * (rowProduct[i] ?? 0);
  }
}
