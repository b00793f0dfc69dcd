import { countTerms } from '../count-terms.ts';
import { localWeight } from './lsa-model.ts';
import type { SparseRows } from './sparse-rows.ts';

/** Term counts of many chunks, stored compactly. */
export interface ChunkTermCounts {
  add(text: string): void;
  readonly chunkCount: number;
  /**
   * Returns the term-document matrix: chunks as rows, the terms found in most chunks as columns, each weighted by how
   * unevenly it is distributed (log-entropy), each row of unit length. Discards the counts.
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
  const ends: number[] = [];
  const pages: Page[] = [];
  let end = 0;
  const numberOf = (term: string): number => {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    // Copied, because a substring keeps the whole text in memory.
    numbers.set(Buffer.from(term, 'utf16le').toString('utf16le'), numbers.size);
    return numbers.size - 1;
  };
  return {
    add(text) {
      for (const [term, count] of countTerms(text)) {
        const number = numberOf(term);
        chunksWith[number] = (chunksWith[number] ?? 0) + 1;
        const at = end % PAGE_ENTRIES;
        if (at === 0) pages.push({ terms: new Uint32Array(PAGE_ENTRIES), counts: new Uint8Array(PAGE_ENTRIES) });
        const page = pages.at(-1);
        if (page !== undefined) {
          page.terms[at] = number;
          page.counts[at] = Math.min(count, MAX_TERM_COUNT);
        }
        end++;
      }
      ends.push(end);
    },
    get chunkCount() {
      return ends.length;
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
      const entries = { pages, ends, columnOf };
      const { weights, knownShare } = entropyWeights(entries, chosen.length);
      const matrix = toMatrix(entries, weights);
      for (const { terms, counts } of pages.splice(0)) for (const { buffer } of [terms, counts]) buffer.transfer(0);
      return {
        matrix,
        terms: chosen.map((number) => names[number] ?? ''),
        weights,
        knownShare,
      };
    },
  };
}

const MAX_TERM_COUNT = 255;
/** Entries allocated at a time, so that memory grows with the number of entries and none is copied. */
const PAGE_ENTRIES = 2 ** 16;

/** Term numbers and counts of successive chunks. */
interface Page {
  readonly terms: Uint32Array<ArrayBuffer>;
  readonly counts: Uint8Array<ArrayBuffer>;
}

interface CountedEntries {
  readonly pages: readonly Page[];
  /** Where the entries of each chunk end. */
  readonly ends: readonly number[];
  /** The column of each term number; -1 if it has none. */
  readonly columnOf: Int32Array;
}

function entropyWeights(entries: CountedEntries, columnCount: number): Pick<WeightedChunks, 'weights' | 'knownShare'> {
  const totals = new Float64Array(columnCount);
  let known = 0;
  let all = 0;
  forEachEntry(entries, (column, count) => {
    all += count;
    if (column < 0) return;
    known += count;
    totals[column] = (totals[column] ?? 0) + count;
  });
  const entropies = new Float64Array(columnCount);
  forEachEntry(entries, (column, count) => {
    if (column < 0) return;
    const share = count / (totals[column] ?? 1);
    entropies[column] = (entropies[column] ?? 0) - share * Math.log(share);
  });
  const max = Math.log(Math.max(2, entries.ends.length));
  return {
    weights: entropies.map((entropy) => Math.max(0, 1 - entropy / max)),
    knownShare: all === 0 ? 1 : known / all,
  };
}

function toMatrix(entries: CountedEntries, weights: Float64Array): SparseRows {
  const { ends } = entries;
  let size = 0;
  forEachEntry(entries, (column) => {
    if (column >= 0) size++;
  });
  const starts = new Uint32Array(ends.length + 1);
  const columns = new Uint16Array(size);
  const values = new Float32Array(size);
  let row = 0;
  let end = 0;
  forEachEntry(entries, (column, count, entry) => {
    while (entry >= (ends[row] ?? Number.POSITIVE_INFINITY)) starts[++row] = end;
    if (column < 0) return;
    columns[end] = column;
    values[end] = localWeight(count) * (weights[column] ?? 0);
    end++;
  });
  starts.fill(end, row + 1);
  const matrix = { rowCount: ends.length, columnCount: weights.length, starts, columns, values };
  scaleRowsToUnitLength(matrix);
  return matrix;
}

function scaleRowsToUnitLength({ rowCount, starts, values }: SparseRows): void {
  for (let row = 0; row < rowCount; row++) {
    const start = starts[row] ?? 0;
    const end = starts[row + 1] ?? 0;
    let square = 0;
    for (let at = start; at < end; at++) square += (values[at] ?? 0) * (values[at] ?? 0);
    const length = Math.sqrt(square) || 1;
    for (let at = start; at < end; at++) values[at] = (values[at] ?? 0) / length;
  }
}

function forEachEntry(
  { pages, ends, columnOf }: CountedEntries,
  visit: (column: number, count: number, entry: number) => void,
): void {
  const end = ends.at(-1) ?? 0;
  for (const [place, { terms, counts }] of pages.entries()) {
    const first = place * PAGE_ENTRIES;
    for (let at = 0; at < Math.min(PAGE_ENTRIES, end - first); at++) {
      visit(columnOf[terms[at] ?? 0] ?? -1, counts[at] ?? 0, first + at);
    }
  }
}
