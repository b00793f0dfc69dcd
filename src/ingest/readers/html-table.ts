import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-nodes.ts';

const MAX_SPAN = 100;
const MAX_COLUMNS = 200;
/** Cells that wait for rows below; past this a page is not laying out a table. */
const MAX_PENDING = 20_000;

/** False for tables that only lay a page out: one column, or blocks and further tables inside. */
export function isDataTable(table: HtmlElement): boolean {
  const rows = rowsOf(table);
  if (rows.every((row) => cellsOf(row).length < 2)) return false;
  return !rows.some((row) => cellsOf(row).some((cell) => holds(cell, LAYOUT)));
}

const LAYOUT = new Set(['table', 'h1', 'h2', 'h3', 'article', 'section', 'main', 'form']);

function holds(node: HtmlNode, names: ReadonlySet<string>): boolean {
  return childrenOf(node).some((child) => isElement(child) && (names.has(child.name) || holds(child, names)));
}

/** A table in Markdown, its caption before it; cells that span several columns or rows are repeated in each. */
export function tableRows(table: HtmlElement, textOf: (node: HtmlNode) => string): string {
  const grid: string[][] = [];
  // By `row:column`, taken out as the rows come.
  const pending = new Map<string, string>();
  for (const [y, row] of rowsOf(table).entries()) {
    const line: string[] = [];
    const cells = cellsOf(row);
    for (const cell of cells) {
      takePending(line, y, pending);
      const text = textOf(cell).replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
      const columns = Math.min(spanOf(cell, 'colspan'), MAX_COLUMNS - line.length);
      for (let x = 0; x < columns; x++) {
        const rows = pending.size > MAX_PENDING ? 1 : spanOf(cell, 'rowspan');
        for (let below = 1; below < rows; below++) pending.set(`${y + below}:${line.length}`, text);
        // A cell across the whole table is a title; said once is enough.
        line.push(cells.length === 1 && x > 0 ? '' : text);
      }
    }
    takePending(line, y, pending);
    if (line.some((text) => text !== '')) grid.push(line);
  }
  const width = grid.reduce((widest, line) => Math.max(widest, line.length), 0);
  const lines = grid.map((line) => `| ${[...line, ...Array<string>(width - line.length).fill('')].join(' | ')} |`);
  const rule = `|${' --- |'.repeat(width)}`;
  const caption = childrenOf(table).find((child) => isElement(child) && child.name === 'caption');
  const title = caption === undefined ? '' : textOf(caption).replace(/\s+/g, ' ').trim();
  return [...(title === '' ? [] : [title, '']), ...lines.slice(0, 1), rule, ...lines.slice(1)].join('\n');
}

function takePending(line: string[], y: number, pending: Map<string, string>): void {
  for (;;) {
    const place = `${y}:${line.length}`;
    const text = pending.get(place);
    if (text === undefined) return;
    pending.delete(place);
    line.push(text);
  }
}

function rowsOf(table: HtmlElement): HtmlElement[] {
  return childrenOf(table).flatMap((child) => {
    if (!isElement(child)) return [];
    return child.name === 'tr' ? [child] : ['thead', 'tbody', 'tfoot'].includes(child.name) ? rowsOf(child) : [];
  });
}

const cellsOf = (row: HtmlElement): HtmlElement[] =>
  childrenOf(row).filter((cell): cell is HtmlElement => isElement(cell) && (cell.name === 'td' || cell.name === 'th'));

const spanOf = (cell: HtmlElement, attribute: string): number =>
  Math.min(MAX_SPAN, Math.max(1, Number.parseInt(cell.attribs[attribute] ?? '1', 10) || 1));
