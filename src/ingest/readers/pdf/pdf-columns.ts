import { isRightToLeft, lineOf, type PlacedText } from '../../../pdf-layout/pdf-lines.ts';
import type { Row } from '../../../pdf-layout/pdf-order.ts';

interface Strip {
  readonly left: number;
  readonly right: number;
}

/** A gap between the columns of a table is at least this wide, in letter heights; a space is narrower. */
const MIN_GAP = 0.7;
/** Rows that must have the gap at the same place; in running text three lines in a row hardly ever do. */
const MIN_ROWS = 3;
/** Largest distance of two rows of a table, in letter heights. */
const MAX_LEADING = 2.2;
/** By how much, in letter heights, the cells of a column may be out of line. */
const TOLERANCE = 0.25;

/**
 * Separates the cells of tables whose columns are so close that they look like words of a line: where consecutive rows
 * have a gap at the same place, and what follows it is aligned.
 */
export function splitNarrowColumns(rows: readonly Row[]): Row[] {
  const split: Row[] = [];
  for (let start = 0; start < rows.length; ) {
    const { end, strips, count } = tableFrom(rows, start);
    if (count >= MIN_ROWS) {
      for (const row of rows.slice(start, end)) split.push(splitAt(row, strips));
      start = end;
    } else {
      const row = rows[start];
      if (row !== undefined) split.push(row);
      start++;
    }
  }
  return split;
}

interface Found {
  readonly end: number;
  readonly strips: readonly Strip[];
  /** Rows that have the gaps; the others are further lines of a single cell. */
  readonly count: number;
}

/** The longest sequence of rows from `start` that share gaps, and those gaps. */
function tableFrom(rows: readonly Row[], start: number): Found {
  const first = rows[start];
  let strips = first === undefined ? [] : gapsOf(first);
  let [end, count] = [start + 1, 1];
  if (first === undefined || strips.length === 0) return { end, strips: [], count: 0 };
  for (; end < rows.length; end++) {
    const [row, before] = [rows[end], rows[end - 1]];
    if (row === undefined || before === undefined || row.region !== first.region) break;
    if (before.y - row.y > MAX_LEADING * first.size || Math.abs(row.size - first.size) > 0.1 * first.size) break;
    const own = gapsOf(row);
    const shared = strips.flatMap((strip) => own.flatMap((gap) => common(strip, gap, first.size)));
    if (shared.length > 0) {
      strips = shared;
      count++;
    } else if (!isWithinColumn(row, strips)) break;
  }
  return { end, strips, count };
}

/** Whether the row crosses none of the gaps. */
const isWithinColumn = (row: Row, strips: readonly Strip[]): boolean =>
  strips.every(({ left, right }) => row.right <= left || row.x >= right - TOLERANCE * row.size);

/** The gap that both rows have: what follows it begins at the same place. */
function common(one: Strip, other: Strip, size: number): Strip[] {
  const strip = { left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) };
  const isAligned = Math.abs(one.right - other.right) <= TOLERANCE * size;
  return isAligned && strip.right - strip.left >= MIN_GAP * size * 0.8 ? [strip] : [];
}

function gapsOf(row: Row): Strip[] {
  const runs = row.cells.flatMap((cell) => cell.runs).sort((a, b) => a.x - b.x);
  const gaps: Strip[] = [];
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1];
    if (before === undefined || run.x - before.x - before.width < MIN_GAP * row.size) continue;
    if (isBullet(before, index - 1) || SIGN.test(before.text) || SIGN.test(run.text)) continue;
    gaps.push({ left: before.x + before.width, right: run.x });
  }
  return gaps.length > 0 && row.cells.some(({ text }) => isRightToLeft(text)) ? [] : gaps;
}

/** A sign belongs to the number beside it, at any distance. */
const SIGN = /^[\s$\u20ac\u00a3\u00a5()%]+$/u;

/** The number or sign of a list item is part of its text. */
const isBullet = ({ text }: PlacedText, index: number): boolean =>
  /^\s*[^\p{L}\p{N}\s]{1,2}\s*$/u.test(text) || (index === 0 && NUMBER.test(text));

const NUMBER = /^\s*(?:\(?(?:\d{1,3}|\p{L}|[ivx]{1,4})[.)]|\d+(?:\.\d+)+\.?|\[\d{1,3}\])\s*$/u;

function splitAt(row: Row, strips: readonly Strip[]): Row {
  const cells = row.cells.flatMap((cell) => {
    const parts: PlacedText[][] = [[]];
    for (const run of cell.runs) {
      const last = parts.at(-1)?.at(-1);
      const isNext =
        last !== undefined &&
        strips.some(({ left, right }) => last.x + last.width <= left + 0.01 && run.x >= right - 0.01);
      if (isNext) parts.push([run]);
      else parts.at(-1)?.push(run);
    }
    return parts.length < 2 ? [cell] : parts.flatMap((runs) => lineOf(runs) ?? []);
  });
  return { ...row, cells };
}
