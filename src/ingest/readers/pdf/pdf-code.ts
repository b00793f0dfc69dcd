import { joinAtAccent } from '../../../pdf-layout/compose-accents.ts';
import type { PlacedText } from '../../../pdf-layout/pdf-lines.ts';
import type { Row } from '../../../pdf-layout/pdf-order.ts';
import type { Edges } from './pdf-justified.ts';

/** Above this share of the text, type of one width is how the document is set, not how it marks programs. */
const MAX_MONO = 0.4;

export function hasDistinctCode(rows: readonly Row[]): boolean {
  let [mono, total] = [0, 0];
  for (const { isMono, cells } of rows) {
    const length = cells.reduce((sum, { text }) => sum + text.length, 0);
    total += length;
    if (isMono) mono += length;
  }
  return mono < total * MAX_MONO;
}

/**
 * The rows that are lines of a program or of its output. A line of running text that happens to consist of one long
 * name is not: it continues a full line of text.
 */
export function codeRows(rows: readonly Row[], edgesOf: ReadonlyMap<number, Edges>): ReadonlySet<Row> {
  const code = new Set<Row>();
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (row.isMono && (before === undefined || !continuesText(row, before, code, edgesOf.get(row.region))))
      code.add(row);
  }
  return code;
}

function continuesText(row: Row, before: Row, code: ReadonlySet<Row>, edges: Edges | undefined): boolean {
  if (code.has(before) || edges === undefined || before.region !== row.region) return false;
  if (/:$/.test(before.cells.at(-1)?.text ?? '')) return false;
  const isNear = before.y - row.y < 1.4 * Math.max(row.size, before.size);
  const text = row.cells[0]?.text ?? '';
  const [word = ''] = text.split(' ', 1);
  // The line was broken because the next word, such as an address, would not have fitted.
  const isFull = before.right + (0.25 + 0.5 * word.length) * row.size > edges.right;
  const indent = row.x - before.x;
  const isItem = indent > 0 && indent < 3 * row.size && ITEM.test(before.cells[0]?.text ?? '');
  const isRest = indent > 0 && row.cells.length === 1 && text.split(' ').length <= 2;
  return isNear && isFull && (isItem || isRest || Math.abs(indent) < 0.3 * row.size);
}

/** The first line of a list item, whose further lines are indented. */
const ITEM = /^(?:[^\p{L}\p{N}\s]|\(?\w{1,3}[.)])\s/u;

/** The lines of a program with their indentation. */
export function codeText(rows: readonly Row[]): string {
  const left = Math.min(...rows.map(({ x }) => x));
  const width = letterWidth(rows);
  const lines: string[] = [];
  for (const [index, { cells, y, size }] of rows.entries()) {
    const before = rows[index - 1];
    if (before !== undefined && before.y - y > 1.8 * size) lines.push('');
    let line = '';
    let last: PlacedText | undefined;
    for (const run of cells.flatMap(({ runs }) => runs).toSorted((a, b) => a.x - b.x)) {
      const joined = last === undefined ? undefined : joinAtAccent(line, last, run);
      line = joined ?? line.padEnd(Math.round((run.x - left) / width)) + run.text;
      last = run;
    }
    lines.push(line.trimEnd());
  }
  return lines.join('\n');
}

function letterWidth(rows: readonly Row[]): number {
  const runs = rows.flatMap(({ cells }) => cells.flatMap(({ runs: own }) => own));
  const letters = runs.reduce((sum, { text }) => sum + text.length, 0);
  return Math.max(1, runs.reduce((sum, { width }) => sum + width, 0) / Math.max(1, letters));
}
