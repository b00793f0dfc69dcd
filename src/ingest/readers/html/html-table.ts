import { oneLine } from '../../../shared/text.ts';
import { gridTable } from '../grid-table.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-nodes.ts';

/** False for layout tables: one column, or blocks and further tables inside. */
export function isDataTable(table: HtmlElement): boolean {
  const rows = rowsOf(table);
  if (rows.every((row) => cellsOf(row).length < 2)) return false;
  return !rows.some((row) => cellsOf(row).some((cell) => holds(cell, LAYOUT)));
}

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
