import type { Row } from '../../../pdf-layout/pdf-order.ts';

/** Dots between an entry of a table of contents and its page. */
const LEADER = /\s*(?:\.\s*){3,}|\s*\u2026+\s*/;
const ENTRY = new RegExp(`(?:${LEADER.source})(?:\\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}-?\\d{1,3})$`);
const PAGE = /^(?:\d{1,4}|[ivxlc]{1,7})$/;

/** Whether the row is an entry of a table of contents, with dots before its page. */
const isEntry = (row: Row): boolean => ENTRY.test(textOf(row));

const textOf = ({ cells }: Row): string => cells.map(({ text }) => text).join(' ');

const isNear = (row: Row, other: Row | undefined): boolean =>
  other !== undefined && other.region === row.region && Math.abs(other.y - row.y) < 3 * Math.max(row.size, other.size);

/**
 * The rows of tables of contents: entries, the titles of chapters between them, whose page follows without dots, and
 * the first lines of entries that are longer than a line.
 */
export function contentsRows(rows: readonly Row[]): ReadonlySet<Row> {
  const entries = new Set(rows.filter(isEntry));
  if (entries.size < 2) return new Set();
  const found = new Set(entries);
  const add = (row: Row, index: number) => {
    if (found.has(row)) return;
    const [before, after] = [rows[index - 1], rows[index + 1]];
    const isBeside = [before, after].some((other) => other !== undefined && found.has(other) && isNear(row, other));
    if (!isBeside) return;
    const isChapter = row.cells.length === 2 && PAGE.test(row.cells[1]?.text ?? '');
    const isFirstLine =
      after !== undefined &&
      before !== undefined &&
      entries.has(after) &&
      found.has(before) &&
      Math.abs(after.size - row.size) < 0.08 * row.size &&
      row.y - after.y < 1.4 * row.size;
    if (isChapter || isFirstLine) found.add(row);
  };
  for (const [index, row] of rows.entries()) add(row, index);
  // Backwards, for the titles of several chapters in succession.
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row !== undefined) add(row, index);
  }
  return found;
}

/** One entry for each line, with an ellipsis in place of its dots. */
export function contentsText(rows: readonly Row[]): string {
  let text = '';
  let isOpen = false;
  for (const row of rows) {
    const line = textOf(row).replace(LEADER, ' \u2026 ');
    text += text === '' ? line : `${isOpen ? ' ' : '\n'}${line}`;
    isOpen = !isEntry(row) && row.cells.length === 1;
  }
  return text;
}
