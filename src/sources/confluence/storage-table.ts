import { childOf, elementsOf, findBelow, type StorageElement } from './storage-tree.ts';

const MAX_SPAN = 100;
const MAX_COLUMNS = 200;
/** Maximum number of cells repeated because of `rowspan`; far above real tables. */
const MAX_REPEATED = 20_000;
/** Maximum number of characters repeated because of spans in one table. */
const MAX_REPEATED_TEXT = 1_000_000;
const PARTS = ['thead', 'tbody', 'tfoot'];
const LAYOUT = new Set(['table', 'h1', 'h2', 'h3', 'pre']);

/** The cells of each row, header and data cells alike. */
export const rowsOf = (table: StorageElement): readonly (readonly StorageElement[])[] =>
  elementsOf(table).flatMap((child) => {
    if (PARTS.includes(child.name)) return rowsOf(child);
    return child.name === 'tr' ? [elementsOf(child).filter(({ name }) => name === 'td' || name === 'th')] : [];
  });

/** False for tables used for layout: those with one column, or with headings, code or tables inside cells. */
export function isDataTable(table: StorageElement): boolean {
  const cells = rowsOf(table);
  if (cells.every((row) => row.length < 2)) return false;
  const isLayout = (element: StorageElement) =>
    LAYOUT.has(element.name) || childOf(element, 'ac:plain-text-body') !== undefined;
  return !cells.flat().some((cell) => findBelow(cell, isLayout) !== undefined);
}

/** A Markdown table; the first row becomes the header. Cells spanning columns or rows are repeated in each. */
export function markdownTable(table: StorageElement, textOf: (cell: StorageElement) => string): string {
  const lines = layOut(table, textOf).filter((line) => line.some((text) => text !== ''));
  const width = lines.reduce((max, line) => Math.max(max, line.length), 0);
  const [header, ...others] = lines;
  if (header === undefined) return '';
  const write = (line: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => (line[at] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  return [write(header), `|${' --- |'.repeat(width)}`, ...others.map(write)].join('\n');
}

function layOut(table: StorageElement, textOf: (cell: StorageElement) => string): string[][] {
  const repeated = new Map<string, string>();
  let left = MAX_REPEATED_TEXT;
  return rowsOf(table).map((cells, row) => {
    const line: string[] = [];
    const takeRepeated = () => {
      for (let text = repeated.get(`${row}:${line.length}`); text !== undefined; ) {
        repeated.delete(`${row}:${line.length}`);
        line.push(text);
        text = repeated.get(`${row}:${line.length}`);
      }
    };
    for (const cell of cells) {
      takeRepeated();
      const text = textOf(cell);
      const wide = Math.min(spanOf(cell, 'colspan'), MAX_COLUMNS - line.length);
      const high = repeated.size > MAX_REPEATED ? 1 : spanOf(cell, 'rowspan');
      left -= text.length * (wide * high - 1);
      const [columns, height] = left < 0 ? [1, 1] : [wide, high];
      for (let column = 0; column < columns; column++) {
        for (let below = 1; below < height; below++) repeated.set(`${row + below}:${line.length}`, text);
        line.push(text);
      }
    }
    takeRepeated();
    return line;
  });
}

const spanOf = ({ attributes }: StorageElement, name: string): number =>
  Math.min(MAX_SPAN, Math.max(1, Number.parseInt(attributes[name] ?? '1', 10) || 1));
