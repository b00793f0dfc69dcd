import { oneLine } from '../../shared/text.ts';
import { markdownTable } from './markdown/markdown-table.ts';

export interface GridCell {
  readonly text: string;
  /** Column and row span of the cell; invalid values count as 1. */
  readonly columns: number;
  readonly rows: number;
}

const MAX_SPAN = 100;
const MAX_COLUMNS = 200;
/** Limit on pending spanned cells, far above real tables. */
const MAX_PENDING = 20_000;

/** A Markdown table whose first row is the header; spanned cells are repeated in each row and column they cover. */
export function gridTable(rows: readonly (readonly GridCell[])[]): string {
  const grid = layOut(rows).filter((line) => line.some((text) => text !== ''));
  const width = grid.reduce((max, line) => Math.max(max, line.length), 0);
  const [first, ...others] = grid;
  if (first === undefined) return '';
  if (width === 1) return grid.map(([text]) => text).join('\n');
  return markdownTable([...first, ...Array<string>(width - first.length).fill('')], others);
}

function layOut(rows: readonly (readonly GridCell[])[]): string[][] {
  // Keyed by `row:column`, removed as the rows are written.
  const pending = new Map<string, string>();
  return rows.map((cells, y) => {
    const line: string[] = [];
    const takePending = () => {
      for (let text = pending.get(`${y}:${line.length}`); text !== undefined; ) {
        pending.delete(`${y}:${line.length}`);
        line.push(text);
        text = pending.get(`${y}:${line.length}`);
      }
    };
    for (const cell of cells) {
      takePending();
      const text = oneLine(cell.text);
      const columns = Math.min(spanOf(cell.columns), MAX_COLUMNS - line.length);
      const height = pending.size > MAX_PENDING ? 1 : spanOf(cell.rows);
      for (let x = 0; x < columns; x++) {
        for (let below = 1; below < height; below++) pending.set(`${y + below}:${line.length}`, text);
        // A cell across the whole table is a title and is written once.
        line.push(cells.length === 1 && x > 0 ? '' : text);
      }
    }
    takePending();
    return line;
  });
}

const spanOf = (value: number): number => (Number.isInteger(value) ? Math.min(MAX_SPAN, Math.max(1, value)) : 1);
