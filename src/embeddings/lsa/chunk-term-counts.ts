import { countTerms } from '../count-terms.ts';
import { localWeight } from './lsa-model.ts';
import type { SparseRows } from './sparse-rows.ts';

/** Term counts of many chunks, stored compactly. */
export interface ChunkTermCounts {
  add(text: string): void;
  readonly chunkCount: number;
  /**
   * Returns the term-document matrix: chunks as rows, the terms found in most chunks as columns, each weighted by how
   * unevenly it is distributed (log-entropy), each row of unit length.
   */
  weigh(maxTerms: number): WeightedChunks;
}

export interface WeightedChunks {
  readonly matrix: SparseRows;
  /** The term of each column. */
  readonly terms: readonly string[];
  /** The weight of each column: 0 for a term spread evenly over all chunks, 1 for one that occurs in a single chunk. */
  readonly weights: Float64Array;
  /** Share of all term occurrences whose term has a column. */
  readonly knownShare: number;
}

export function createChunkTermCounts(): ChunkTermCounts {
  const numbers = new Map<string, number>();
  const chunksWith: number[] = [];
  const rows: { readonly terms: Uint32Array; readonly counts: Uint16Array }[] = [];
  return {
    add(text) {
      const counted = [...countTerms(text)].map(([term, count]) => {
        const number = numbers.get(term) ?? numbers.size;
        numbers.set(term, number);
        chunksWith[number] = (chunksWith[number] ?? 0) + 1;
        return { number, count: Math.min(count, MAX_TERM_COUNT) };
      });
      rows.push({
        terms: Uint32Array.from(counted, ({ number }) => number),
        counts: Uint16Array.from(counted, ({ count }) => count),
      });
    },
    get chunkCount() {
      return rows.length;
    },
    weigh(maxTerms) {
      const names = [...numbers.keys()];
      // The sort is stable: terms of equal frequency stay in the order in which they were found.
      const chosen = names
        .map((_, number) => number)
        .sort((one, two) => (chunksWith[two] ?? 0) - (chunksWith[one] ?? 0))
        .slice(0, maxTerms);
      const columnOf = new Int32Array(names.length).fill(-1);
      for (const [column, number] of chosen.entries()) columnOf[number] = column;
      const weights = entropyWeights(rows, columnOf, chosen.length);
      return {
        matrix: toMatrix(rows, columnOf, weights),
        terms: chosen.map((number) => names[number] ?? ''),
        weights,
        knownShare: knownShareOf(rows, columnOf),
      };
    },
  };
}

const MAX_TERM_COUNT = 65_535;

type CountedRow = { readonly terms: Uint32Array; readonly counts: Uint16Array };

function entropyWeights(rows: readonly CountedRow[], columnOf: Int32Array, columnCount: number): Float64Array {
  const totals = new Float64Array(columnCount);
  forEachEntry(rows, columnOf, (column, count) => {
    totals[column] = (totals[column] ?? 0) + count;
  });
  const entropies = new Float64Array(columnCount);
  forEachEntry(rows, columnOf, (column, count) => {
    const share = count / (totals[column] ?? 1);
    entropies[column] = (entropies[column] ?? 0) - share * Math.log(share);
  });
  const max = Math.log(Math.max(2, rows.length));
  return entropies.map((entropy) => Math.max(0, 1 - entropy / max));
}

function knownShareOf(rows: readonly CountedRow[], columnOf: Int32Array): number {
  let known = 0;
  forEachEntry(rows, columnOf, (_, count) => {
    known += count;
  });
  const all = rows.reduce((sum, { counts }) => counts.reduce((some, count) => some + count, sum), 0);
  return all === 0 ? 1 : known / all;
}

function forEachEntry(
  rows: readonly CountedRow[],
  columnOf: Int32Array,
  visit: (column: number, count: number) => void,
): void {
  for (const { terms, counts } of rows) {
    for (let at = 0; at < terms.length; at++) {
      const column = columnOf[terms[at] ?? 0] ?? -1;
      if (column >= 0) visit(column, counts[at] ?? 0);
    }
  }
}

function toMatrix(rows: readonly CountedRow[], columnOf: Int32Array, weights: Float64Array): SparseRows {
  const entries = rows.reduce((sum, { terms }) => sum + terms.length, 0);
  const starts = new Uint32Array(rows.length + 1);
  const columns = new Uint32Array(entries);
  const values = new Float32Array(entries);
  let end = 0;
  for (const [place, row] of rows.entries()) {
    const start = end;
    let square = 0;
    forEachEntry([row], columnOf, (column, count) => {
      const value = localWeight(count) * (weights[column] ?? 0);
      columns[end] = column;
      values[end] = value;
      square += value * value;
      end++;
    });
    const length = Math.sqrt(square) || 1;
    for (let at = start; at < end; at++) values[at] = (values[at] ?? 0) / length;
    starts[place + 1] = end;
  }
  return { rowCount: rows.length, columnCount: weights.length, starts, columns, values };
}
