import { oneLine } from '../../../shared/text.ts';
import { gridTable } from '../grid-table.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement, textBelow } from './html-nodes.ts';

/** False for layout tables: one column, or blocks and further tables inside. */
export function isDataTable(table: HtmlElement): boolean {
  const rows = rowsOf(table);
  if (rows.every((row) => cellsOf(row).length < 2)) return false;
  // A table with header cells contains data even if a cell contains another table.
  const isHeaded = rows.some((row) => cellsOf(row).filter(({ name }) => name === 'th').length > 1);
  return !rows.some((row) => cellsOf(row).some((cell) => holds(cell, isHeaded ? HEADED_LAYOUT : LAYOUT)));
}

const MIN_ROWS = 3;
/** Longer cells are columns of a page's layout. */
const MAX_CELL = 400;
/** Share of the table's text that a single cell may hold. */
const MAX_SHARE = 0.5;

/** Whether a table is clearly data, even without a header: several rows of short cells, none wider than the first. */
export function isClearlyData(table: HtmlElement): boolean {
  if (!isDataTable(table)) return false;
  const rows = rowsOf(table)
    .map(cellsOf)
    .filter((cells) => cells.length > 0);
  const columns = rows[0]?.reduce((sum, cell) => sum + spanOf(cell, 'colspan'), 0) ?? 0;
  const isRegular = rows.slice(1).every((cells) => cells.length <= columns);
  const lengths = rows.flat().map((cell) => oneLine(textBelow(cell)).length);
  const max = lengths.reduce((longest, length) => Math.max(longest, length), 0);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return rows.length >= MIN_ROWS && isRegular && max <= MAX_CELL && max <= total * MAX_SHARE;
}

const HEADED_LAYOUT = new Set(['h1', 'h2', 'article', 'section', 'main', 'form']);
const LAYOUT = new Set(['table', 'h1', 'h2', 'h3', 'article', 'section', 'main', 'form']);

function holds(node: HtmlNode, names: ReadonlySet<string>): boolean {
  return childrenOf(node).some((child) => isElement(child) && (names.has(child.name) || holds(child, names)));
}

/** A table in Markdown, preceded by its caption; cells that span several columns or rows are repeated in each. */
export function tableRows(table: HtmlElement, textOf: (node: HtmlNode) => string): string {
  const rows = rowsOf(table).map((row) =>
    cellsOf(row).map((cell) => ({
      text: textOf(cell),
      columns: spanOf(cell, 'colspan'),
      rows: spanOf(cell, 'rowspan'),
    })),
  );
  const caption = childrenOf(table).find((child) => isElement(child) && child.name === 'caption');
  const title = caption === undefined ? '' : oneLine(textOf(caption));
  return [...(title === '' ? [] : [title, '']), gridTable(rows)].join('\n');
}

/** A table within a cell, on one line. */
export const tableLine = (table: HtmlElement, textOf: (node: HtmlNode) => string): string =>
  rowsOf(table)
    .map((row) =>
      cellsOf(row)
        .map(textOf)
        .filter((text) => text !== '')
        .join(', '),
    )
    .filter((line) => line !== '')
    .join('; ');

function rowsOf(table: HtmlElement): HtmlElement[] {
  return childrenOf(table).flatMap((child) => {
    if (!isElement(child)) return [];
    return child.name === 'tr' ? [child] : ['thead', 'tbody', 'tfoot'].includes(child.name) ? rowsOf(child) : [];
  });
}

const cellsOf = (row: HtmlElement): HtmlElement[] =>
  childrenOf(row).filter((cell): cell is HtmlElement => isElement(cell) && (cell.name === 'td' || cell.name === 'th'));

const spanOf = (cell: HtmlElement, attribute: string): number =>
  Number.parseInt(cell.attribs[attribute] ?? '1', 10) || 1;
