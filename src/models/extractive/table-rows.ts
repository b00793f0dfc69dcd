import type { Span } from '../../citations/citation.ts';
import { formRows, labelledCells } from './form-rows.ts';

export interface TableRow {
  /** Column names, often with unit or period; empty for unnamed columns. */
  readonly header: readonly string[];
  readonly cells: readonly string[];
  /** Unit of the figures, as given in the table or the text above it: "(in thousands)". */
  readonly unit: string;
  /** Whether the row itself contains the column names, as rows of CSV files do: `Route: North; Fare: 12`. */
  readonly isNamed?: boolean;
  /** Whether it is a row of a form, with labels before the values: `Traveller: | Ottilie`. */
  readonly isForm?: boolean;
  /** Columns of the table in which such a row has no value. */
  readonly emptyColumns?: readonly string[];
}

/** A table cell with its row and column names. */
export interface TableCell {
  readonly row: string;
  readonly column: string;
  readonly value: string;
  readonly unit?: string;
}

/**
 * Classifies each piece of a text: a table row, `header` for a row of column names, undefined for prose. `columns` are
 * the column names of the table in which the text begins, if it is a later part of a table.
 */
export function tableRowsOf(
  text: string,
  pieces: readonly Span[],
  columns: readonly string[] = [],
): (TableRow | 'header' | undefined)[] {
  const texts = pieces.map(({ start, end }) => text.slice(start, end));
  const lines = texts.map(cellsOf);
  const named = namedRowsOf(texts);
  const isForm = formRows(lines, isSeparator);
  let header: readonly string[] = lines[0]?.length === columns.length ? columns : [];
  const isContinued = header.length > 0;
  let unit = '';
  // Names of columns that stand above a table instead of in it, as in the text of many PDFs.
  let date = '';
  let years: readonly string[] = [];
  const dated = (names: readonly string[]) =>
    names.map((column) => (YEAR.test(column) && date !== '' ? `${date} ${column}` : column));
  return lines.map((cells, index) => {
    const line = texts[index] ?? '';
    const namedRow = named[index];
    if (namedRow !== undefined) return namedRow;
    if (line.length <= MAX_NOTE_LENGTH && UNIT.test(line)) unit = unitIn(line, cells);
    if (cells === undefined) {
      header = [];
      const words = line.split(/\s+/);
      if (words.length > 1 && words.every((word) => YEAR.test(word))) years = words;
      else if (line.length <= MAX_NOTE_LENGTH && DATE_WITHOUT_YEAR.test(line)) date = line;
      return undefined;
    }
    if (isSeparator(cells)) return 'header';
    if (isForm[index] === true) return { header: [], cells, unit: '', isForm: true };
    const isFirst = lines[index - 1] === undefined && !(index === 0 && isContinued);
    const next = lines[index + 1];
    const isRuled = next !== undefined && isSeparator(next);
    const figures = cells.slice(1).filter(isFigure);
    const isNaming = figures.every((cell) => YEAR.test(cell));
    // Without a separator row, a first row without figures above rows with figures is the header.
    if ((isRuled && isNaming) || (isFirst && isNaming && next?.some(isFigure) === true)) {
      header = dated(cells);
      return 'header';
    }
    // Further names of columns, or the unit, below the first.
    const isBelowNames = cells[0] === '' || (cells[0] === header[0] && cells.slice(1).every((cell) => !isFigure(cell)));
    if (header.length > 0 && isBelowNames && isNaming) {
      const names = dated(cells.map((cell) => (UNIT.test(cell) ? '' : cell)));
      header = header.map((name, column) =>
        [name, names[column] === name ? '' : (names[column] ?? '')].filter((part) => part !== '').join(' '),
      );
      return 'header';
    }
    const isHeader = header.length === 0 && years.length === cells.length - 1;
    return { header: isHeader ? ['', ...dated(years)] : header, cells, unit };
  });
}

const MAX_NOTE_LENGTH = 120;
const YEAR = /^(?:19|20)\d\d$/;
const DATE_WITHOUT_YEAR = /^[\p{L}\d ]*\d{1,2},$/u;
const UNIT =
  /(?<![\p{L}\p{N}])(?:(?:in|amounts|figures|en|angaben)\s.*)?(?:thousands?|millions?|billions?|tausend|tsd|mio|mrd|millionen|milliarden|milliers|miles|millones)(?![\p{L}\p{N}])/iu;
const SEPARATOR_ROW = /^:?-+:?$/;
const isSeparator = (cells: readonly string[]): boolean => cells.every((cell) => SEPARATOR_ROW.test(cell));
const isFigure = (cell: string): boolean => /^\W{0,3}\p{Nd}/u.test(cell) && /\p{Nd}/u.test(cell);

/** The note that names the unit; empty for prose that merely mentions an amount. */
function unitIn(line: string, cells: readonly string[] | undefined): string {
  const note = cells?.find((cell) => UNIT.test(cell)) ?? line;
  const bracketed = /\([^()]*\)/.exec(note)?.[0] ?? '';
  if (UNIT.test(bracketed)) return bracketed;
  return /\p{Nd}|[.!?]$/u.test(note) ? '' : `(${note})`;
}

function cellsOf(line: string): readonly string[] | undefined {
  const inner = /^\|(.*)\|$/s.exec(line.trim())?.[1];
  const cells = inner === undefined ? line.split('\t') : inner.split(/(?<!\\)\|/);
  return cells.length < 2 ? undefined : cells.map((cell) => cell.replaceAll('\\|', '|').trim());
}

const NAMED_CELL = /^([^:;]{1,120}): (.+)$/s;

/** Rows that contain their column names. A single such line is prose: an adjacent one must start with the same name. */
function namedRowsOf(texts: readonly string[]): (TableRow | undefined)[] {
  const rows = texts.map(namedRow);
  const named = rows.map((row, index) => {
    const isBeside = (other: TableRow | undefined) => other !== undefined && other.header[0] === row?.header[0];
    return isBeside(rows[index - 1]) || isBeside(rows[index + 1]) ? row : undefined;
  });
  const columns = new Set(named.flatMap((row) => row?.header ?? []));
  return named.map(
    (row) => row && { ...row, emptyColumns: [...columns].filter((column) => !row.header.includes(column)) },
  );
}

function namedRow(line: string): TableRow | undefined {
  const header: string[] = [];
  const cells: string[] = [];
  for (const part of line.split('; ')) {
    const [, name, value] = NAMED_CELL.exec(part) ?? [];
    if (name !== undefined && value !== undefined) {
      header.push(name);
      cells.push(value);
    } else if (cells.length === 0) return undefined;
    // A value may contain the separator.
    else cells.push(`${cells.pop()}; ${part}`);
  }
  return cells.length < 2 ? undefined : { header, cells, unit: '', isNamed: true };
}

/** A cell, and how well the question names its row and column, 0 to 1. */
export interface FittingCell {
  readonly cell: TableCell;
  readonly fit: number;
  /** Whether the question names the column. */
  readonly isColumnNamed: boolean;
  /** Whether the question names another column better, in which the row has no value. */
  readonly isEmpty: boolean;
}

const FIT_WITHOUT_COLUMN = 0.6;
const PREFIX_LENGTH = 5;

/**
 * The cell that a question asks for, if the question names the row: a figure, or with `allowsText` also the text of a
 * column that the question names better.
 */
export function findCell(
  { header, cells, unit, isNamed = false, isForm = false, emptyColumns = [] }: TableRow,
  termsOf: (text: string) => readonly string[],
  { questionForms, allowsText }: { readonly questionForms: ReadonlySet<string>; readonly allowsText: boolean },
): FittingCell | undefined {
  // Inflected words have two terms: in full and as a prefix, of which one suffices.
  const wordsOf = (text: string) => termsOf(text).filter((term) => !term.endsWith('-'));
  const isQuestionWord = (word: string) =>
    questionForms.has(word) || questionForms.has(`${[...word].slice(0, PREFIX_LENGTH).join('')}-`);
  const countIn = (words: readonly string[]) => words.filter(isQuestionWord).length;
  if (isForm) return findValue(cells, { wordsOf, countIn });
  const first = cells[0] ?? '';
  // Rows of data files are often known by a number.
  const isNumbered = isNamed && isFigure(first) && countIn(wordsOf(first)) > 0;
  const row = isNumbered ? first : (cells.find((cell) => cell !== '' && !isFigure(cell)) ?? first);
  const rowWords = wordsOf(row);
  const named = countIn(rowWords);
  if (named === 0) return undefined;
  let best: TableCell | undefined;
  let max = -1;
  const consider = (matches: (value: string) => boolean) => {
    for (const [index, value] of cells.entries()) {
      if (value === '' || value === row || !matches(value)) continue;
      const column = header[index] ?? '';
      const count = countIn(wordsOf(column));
      if (count > max) [best, max] = [{ row, column, value, ...(unit !== '' && { unit }) }, count];
    }
  };
  consider(isFigure);
  if (allowsText) {
    max = Math.max(max, 0);
    consider((value) => !isFigure(value));
  }
  if (best === undefined) return undefined;
  const empty = [...emptyColumns, ...header.filter((_, index) => cells[index] === '')];
  const isEmpty = empty.some((column) => countIn(wordsOf(column)) > Math.max(max, 0));
  const fit = (named / rowWords.length) * (max > 0 ? 1 : FIT_WITHOUT_COLUMN);
  return { cell: best, fit, isColumnNamed: max > 0, isEmpty };
}

// A label says less than a row and a column do.
const FIT_OF_LABEL = 0.5;

/** The value in a form whose label the question names in full. */
function findValue(
  cells: readonly string[],
  {
    wordsOf,
    countIn,
  }: {
    readonly wordsOf: (text: string) => readonly string[];
    readonly countIn: (words: readonly string[]) => number;
  },
): FittingCell | undefined {
  const named = labelledCells(cells).find(({ label }) => {
    const words = wordsOf(label);
    return words.length > 0 && countIn(words) === words.length;
  });
  if (named === undefined) return undefined;
  const cell = { row: named.label, column: '', value: named.value };
  return { cell, fit: FIT_OF_LABEL, isColumnNamed: true, isEmpty: named.value === '' };
}
