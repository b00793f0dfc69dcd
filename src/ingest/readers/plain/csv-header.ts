import { oneLine } from '../../../shared/text.ts';

/** A table, divided into the lines above it, its column names and its rows. */
export interface TableParts {
  /** Titles and remarks above the table. */
  readonly captions: readonly string[];
  /** Absent when the first row is data. */
  readonly header?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Number of rows sampled to determine the width of a table and the kind of each column. */
const SAMPLED_ROWS = 50;
const MAX_CAPTIONS = 10;
/** A caption fills at most one in this many columns. */
const CAPTION_SHARE = 3;
const MAX_NAME_LENGTH = 120;
/** Minimum share of columns with a name; exports leave a column or two without one. */
const NAMED_SHARE = 0.6;

/** Finds the column names of a table, even below a title, and even if they repeat or are years. */
export function partsOfTable(rows: readonly (readonly string[])[]): TableParts {
  const width = usualWidth(rows);
  let at = 0;
  while (at < Math.min(MAX_CAPTIONS, rows.length - 1) && isCaption(rows[at] ?? [], width)) at++;
  const captions = rows.slice(0, at).map((row) =>
    row
      .map(oneLine)
      .filter((cell) => cell !== '')
      .join('  '),
  );
  const table = rows.slice(at);
  const header = headerOf(table);
  return header === undefined ? { captions, rows: table } : { captions, header, rows: table.slice(1) };
}

/** Median number of filled cells per row. */
function usualWidth(rows: readonly (readonly string[])[]): number {
  const widths = rows.slice(0, SAMPLED_ROWS).map((row) => row.filter((cell) => cell.trim() !== '').length);
  return widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 0;
}

function isCaption(row: readonly string[], width: number): boolean {
  const filled = row.filter((cell) => cell.trim() !== '').length;
  // A row whose first cell is empty is a header row, even with a single name.
  return width > 1 && (filled === 1 || filled * CAPTION_SHARE <= width) && row[0]?.trim() !== '';
}

/** The first row, when it looks like names rather than data. */
function headerOf(rows: readonly (readonly string[])[]): readonly string[] | undefined {
  const first = rows[0]?.map(oneLine);
  if (first === undefined || first.length === 0) return undefined;
  const names = first.filter((cell) => cell !== '');
  if (names.length < Math.max(1, Math.min(first.length - 1, NAMED_SHARE * first.length))) return undefined;
  if (names.some((name) => name.length > MAX_NAME_LENGTH)) return undefined;
  const below = rows.slice(1, SAMPLED_ROWS);
  const numbers = first.flatMap((name, column) => (isNumber(name) ? [{ name, column }] : []));
  // Years above figures are names; years above years are data. Some programs name the column of row numbers 0.
  const areNames = numbers.every(
    ({ name, column }) =>
      (isYear(name) && !below.every((row) => isYear(cellOf(row, column)))) ||
      (name === '0' && column === 0 && below.some((row) => cellOf(row, column) !== '0')),
  );
  if (!areNames) return undefined;
  const isUnlikeRows = first.some(
    (name, column) => name !== '' && !isNumber(name) && below.some((row) => isNumber(cellOf(row, column))),
  );
  return new Set(names).size === names.length || isUnlikeRows ? first : undefined;
}

const cellOf = (row: readonly string[], column: number): string => (row[column] ?? '').trim();
const isNumber = (cell: string): boolean => /^[-+]?[\d.,'\s]*\d%?$/.test(cell);
const isYear = (cell: string): boolean => /^(?:19|20)\d\d$/.test(cell);
