import { ServiceError } from '../../../errors.ts';

export interface SheetCell {
  /** From 0. */
  readonly column: number;
  readonly text: string;
}

/** A row of a sheet with its non-empty cells, by ascending column. */
export interface SheetRow {
  /** From 0. */
  readonly index: number;
  readonly cells: readonly SheetCell[];
}

/** A merged range; all bounds inclusive. */
export interface MergedCells {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly rows: readonly SheetRow[];
  readonly merged: readonly MergedCells[];
}

/** Maximum text that filling merged cells may produce. */
const MAX_TEXT = 30_000_000;
const MAX_CELLS = 5_000_000;

/** Counts the content of all sheets of one file. Throws `too_large`. */
export interface SheetBudget {
  take(text: string): void;
}

export function createSheetBudget(fileName: string): SheetBudget {
  let characters = 0;
  let cells = 0;
  return {
    take(text) {
      characters += text.length + 3;
      cells++;
      if (characters <= MAX_TEXT && cells <= MAX_CELLS) return;
      const limit = cells > MAX_CELLS ? `${MAX_CELLS} filled cells` : `${MAX_TEXT} characters`;
      throw new ServiceError(
        'too_large',
        `${fileName} holds more than ${limit}. Split it, or keep the data as CSV files.`,
      );
    },
  };
}

const MAX_MERGED_ROWS = 1_000;
const MAX_MERGED_COLUMNS = 50;
const MAX_FILLED = 200_000;

/** Copies the text of merged cells into each row and column they cover, so that every row is complete. */
export function fillMerged(rows: readonly SheetRow[], merged: readonly MergedCells[]): readonly SheetRow[] {
  const areas = merged.filter(
    ({ top, left, bottom, right }) => bottom - top <= MAX_MERGED_ROWS && right - left <= MAX_MERGED_COLUMNS,
  );
  if (areas.length === 0) return rows;
  const covered = new Set<number>();
  for (const { top, bottom } of areas)
    for (let index = top; index <= bottom && covered.size < MAX_FILLED; index++) covered.add(index);
  // Only rows covered by a range are copied: a sheet may have a million others.
  const open = new Map(
    rows
      .filter(({ index }) => covered.has(index))
      .map(({ index, cells }) => [index, new Map(cells.map((cell) => [cell.column, cell.text]))]),
  );
  let filled = 0;
  for (const { top, left, bottom, right } of areas) {
    const text = open.get(top)?.get(left);
    if (text === undefined) continue;
    for (let index = top; index <= bottom && filled < MAX_FILLED; index++) {
      const row = open.get(index);
      // A row that consists only of the merged cell is a title and is written once.
      if (row === undefined || (index === top && row.size === 1)) continue;
      for (let column = left; column <= right; column++) {
        if (row.has(column)) continue;
        row.set(column, text);
        filled++;
      }
    }
  }
  return rows.map((row) => {
    const cells = open.get(row.index);
    if (cells === undefined) return row;
    const sorted = [...cells].map(([column, text]) => ({ column, text })).sort((a, b) => a.column - b.column);
    return { index: row.index, cells: sorted };
  });
}
