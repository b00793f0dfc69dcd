import type { MergedCells, SheetRow } from './sheet-rows.ts';

/** Whether a cell contains a number. Years do not count, because they are as often column names as data. */
export const isNumber = (text: string): boolean =>
  /\d/.test(text) && /^[-+(]?\p{Sc}?\s?[\d.,'\s]*\d\s?[%\p{Sc})]?$/u.test(text) && !/^(?:19|20)\d\d$/.test(text);

const MAX_HEADER_ROWS = 4;

/**
 * The rows at the beginning of a table that name its columns: the first one, and further ones below merged cells that
 * group columns, as `2023` does above `Passengers` and `Cars`. Expects merged cells to be filled already.
 */
export function headerRowsOf(rows: readonly SheetRow[], merged: readonly MergedCells[]): readonly SheetRow[] {
  let naming = rows.slice(0, 1);
  while (naming.length < MAX_HEADER_ROWS) {
    const last = naming.at(-1);
    const next = rows[naming.length];
    if (last === undefined || next === undefined || next.index !== last.index + 1) break;
    const groups = merged.filter(
      ({ top, bottom, left, right }) => top <= last.index && last.index <= bottom && left < right,
    );
    if (groups.length === 0 || !namesBelow(last, next, groups)) break;
    naming = rows.slice(0, naming.length + 1);
  }
  return naming;
}

/** Whether a row names the columns of these groups: a name below each group, no number, and nothing new elsewhere. */
function namesBelow(last: SheetRow, next: SheetRow, groups: readonly MergedCells[]): boolean {
  const isGrouped = (column: number) => groups.some(({ left, right }) => left <= column && column <= right);
  const above = new Map(last.cells.map(({ column, text }) => [column, text]));
  const divides = next.cells.some(({ column, text }) => isGrouped(column) && above.get(column) !== text);
  return (
    divides &&
    next.cells.every(({ column, text }) => {
      if (isNumber(text)) return false;
      return isGrouped(column) || !above.has(column) || above.get(column) === text;
    })
  );
}
