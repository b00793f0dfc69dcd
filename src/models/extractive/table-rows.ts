import type { Span } from '../../citations/citation.ts';

export interface TableRow {
  /** Of the columns, without a name for those that have none; what stands there says the unit or period too. */
  readonly header: readonly string[];
  readonly cells: readonly string[];
}

/** A cell that answers: what its row and its column are about, and what it says. */
export interface TableCell {
  readonly row: string;
  readonly column: string;
  readonly value: string;
}

/** For each of the pieces of a text, the row of a table that it is: undefined for prose, `header` for what stands above rows. */
export function tableRowsOf(text: string, pieces: readonly Span[]): (TableRow | 'header' | undefined)[] {
  const lines = pieces.map(({ start, end }) => cellsOf(text.slice(start, end)));
  let header: readonly string[] = [];
  return lines.map((cells, index) => {
    if (cells === undefined) {
      header = [];
      return undefined;
    }
    if (cells.every((cell) => RULE.test(cell))) return 'header';
    const isFirst = lines[index - 1] === undefined;
    const next = lines[index + 1];
    const isRuled = next?.every((cell) => RULE.test(cell)) === true;
    // Without a rule below, a first row without a figure names the columns of those that have some.
    if (isRuled || (isFirst && next !== undefined && !cells.slice(1).some(isFigure) && next.some(isFigure))) {
      header = cells;
      return 'header';
    }
    return { header, cells };
  });
}

const RULE = /^:?-+:?$/;
const isFigure = (cell: string): boolean => /^\W{0,3}\p{Nd}/u.test(cell) && /\p{Nd}/u.test(cell);

function cellsOf(line: string): readonly string[] | undefined {
  const inner = /^\|(.*)\|$/s.exec(line.trim())?.[1];
  const cells = inner === undefined ? line.split('\t') : inner.split(/(?<!\\)\|/);
  return cells.length < 2 ? undefined : cells.map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** The figure of a row that a question asks for, when the row is one that the question names. */
export function askedCell(
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
