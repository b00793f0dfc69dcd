import { oneLine } from '../../../shared/text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import { inlineRst } from './rst-inline.ts';

export const isGridBorder = (line: string): boolean => /^\s*\+(?:[-=]+\+)+\s*$/.test(line);
export const isSimpleBorder = (line: string): boolean => /^\s*={2,}(?:\s+={2,})+\s*$/.test(line);

/** Rows of cells, the first being the header, as a Markdown table. */
export function rstTable(rows: readonly (readonly string[])[]): string {
  const kept = rows.map((row) => row.map((cell) => inlineRst(oneLine(cell))));
  const width = kept.reduce((max, row) => Math.max(max, row.length), 0);
  const [header, ...body] = kept;
  if (header === undefined) return '';
  return markdownTable([...header, ...Array<string>(width - header.length).fill('')], body);
}

/** A grid table; a cell continues until the next line below the row. */
export function gridRows(lines: readonly string[]): string[][] {
  const rows: string[][] = [];
  let open: string[] = [];
  for (const line of lines) {
    if (/^\s*\+[-=+]/.test(line)) {
      if (open.some((cell) => cell.trim() !== '')) rows.push(open);
      open = [];
      continue;
    }
    const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
    for (const [index, cell] of cells.entries()) open[index] = `${open[index] ?? ''} ${cell}`;
  }
  if (open.length > 0) rows.push(open);
  return rows;
}

/** A simple table, whose columns are given by its first line; a row without a first cell continues the previous one. */
export function simpleRows(lines: readonly string[]): string[][] {
  const columns = [...(lines[0] ?? '').matchAll(/=+/g)].map(({ index }) => index);
  const rows: string[][] = [];
  for (const line of lines) {
    if (isSimpleBorder(line) || /^\s*-{2,}(?:\s+-{2,})*\s*$/.test(line) || line.trim() === '') continue;
    const cells = columns.map((start, index) => line.slice(start, columns[index + 1]).trim());
    const last = rows.at(-1);
    if (cells[0] === '' && last !== undefined)
      for (const [index, cell] of cells.entries()) last[index] = `${last[index] ?? ''} ${cell}`;
    else rows.push(cells);
  }
  return rows;
}
