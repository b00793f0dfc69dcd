import type { Line } from '../../../pdf-layout/pdf-lines.ts';
import type { Row } from '../../../pdf-layout/pdf-order.ts';
import { markdownTable } from '../markdown/markdown-table.ts';

interface Band {
  left: number;
  right: number;
}

const MAX_COLUMNS = 30;
/** Rows sampled to find the columns; tables are regular. */
const SAMPLED_ROWS = 80;

/**
 * The rows as a Markdown table, when their cells align in columns; undefined when they do not. A cell across several
 * columns is written in the first of them.
 */
export function pdfTable(rows: readonly Row[]): string | undefined {
  const wide = rows.filter(({ cells }) => cells.length > 1);
  if (wide.length < 2) return undefined;
  const bands = columnsOf(wide.slice(0, SAMPLED_ROWS));
  if (bands.length < 2 || bands.length > MAX_COLUMNS) return undefined;
  const grid = rows.map((row) => placeCells(row.cells, bands));
  // When cells coincide, they are not columns but widely spaced words.
  const cells = wide.reduce((sum, row) => sum + row.cells.length, 0);
  const filled = grid.reduce((sum, line) => sum + line.filter((text) => text !== '').length, 0);
  const alone = rows.length - wide.length;
  if (filled - alone < 0.85 * cells) return undefined;
  const [header = [], ...body] = grid;
  return markdownTable(header, body);
}

function columnsOf(rows: readonly Row[]): Band[] {
  const cells = rows.flatMap((row) => row.cells.map((cell) => ({ cell, row })));
  const bands: Band[] = [];
  const columns = cells
    .filter(({ cell, row }) => !rows.some((other) => other !== row && spansSeveral(cell, other.cells)))
    .map(({ cell }) => cell)
    .sort((a, b) => a.x - b.x);
  for (const { x, right } of columns) {
    const last = bands.at(-1);
    if (last !== undefined && x < last.right) last.right = Math.max(last.right, right);
    else bands.push({ left: x, right });
  }
  return bands;
}

const spansSeveral = (cell: Line, others: readonly Line[]): boolean =>
  others.filter((other) => overlap(cell, { left: other.x, right: other.right }) > 1).length > 1;

const overlap = ({ x, right }: Line, band: Band): number => Math.min(right, band.right) - Math.max(x, band.left);

function placeCells(cells: readonly Line[], bands: readonly Band[]): string[] {
  const line = bands.map(() => '');
  for (const cell of cells) {
    const touched = bands.findIndex((band) => overlap(cell, band) > 0);
    const index = touched === -1 ? nearest(cell, bands) : touched;
    line[index] = line[index] ? `${line[index]} ${cell.text}` : cell.text;
  }
  return line;
}

function nearest({ x, right }: Line, bands: readonly Band[]): number {
  const distances = bands.map((band) => Math.abs((band.left + band.right) / 2 - (x + right) / 2));
  return Math.max(0, distances.indexOf(Math.min(...distances)));
}
