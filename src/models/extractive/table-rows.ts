import type { Span } from '../../citations/citation.ts';

export interface TableRow {
  /** Column names, often with unit or period; empty for unnamed columns. */
  readonly header: readonly string[];
  readonly cells: readonly string[];
}

/** A table cell with its row and column names. */
export interface TableCell {
  readonly row: string;
  readonly column: string;
  readonly value: string;
}

/** Classifies each piece of a text: a table row, `header` for a row of column names, undefined for prose. */
export function tableRowsOf(text: string, pieces: readonly Span[]): (TableRow | 'header' | undefined)[] {
  const lines = pieces.map(({ start, end }) => cellsOf(text.slice(start, end)));
  let header: readonly string[] = [];
  return lines.map((cells, index) => {
    if (cells === undefined) {
      header = [];
      return undefined;
    }
    if (cells.every((cell) => SEPARATOR_ROW.test(cell))) return 'header';
    const isFirst = lines[index - 1] === undefined;
    const next = lines[index + 1];
    const isRuled = next?.every((cell) => SEPARATOR_ROW.test(cell)) === true;
    // Without a separator row, a first row without figures above rows with figures is the header.
    if (isRuled || (isFirst && next !== undefined && !cells.slice(1).some(isFigure) && next.some(isFigure))) {
      header = cells;
      return 'header';
    }
    return { header, cells };
  });
}

const SEPARATOR_ROW = /^:?-+:?$/;
const isFigure = (cell: string): boolean => /^\W{0,3}\p{Nd}/u.test(cell) && /\p{Nd}/u.test(cell);

function cellsOf(line: string): readonly string[] | undefined {
  const inner = /^\|(.*)\|$/s.exec(line.trim())?.[1];
  const cells = inner === undefined ? line.split('\t') : inner.split(/(?<!\\)\|/);
  return cells.length < 2 ? undefined : cells.map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** The cell that a question asks for, if the question names the row. */
export function cellAskedFor(
  { header, cells }: TableRow,
  termsOf: (text: string) => readonly string[],
  asked: ReadonlySet<string>,
): TableCell | undefined {
  const row = cells.find((cell) => cell !== '' && !isFigure(cell)) ?? cells[0] ?? '';
  if (!termsOf(row).some((term) => asked.has(term))) return undefined;
  let best: TableCell | undefined;
  let most = -1;
  for (const [index, value] of cells.entries()) {
    if (!isFigure(value) || value === row) continue;
    const column = header[index] ?? '';
    const named = termsOf(column).filter((term) => asked.has(term)).length;
    if (named > most) [best, most] = [{ row, column, value }, named];
  }
  return best;
}
