import { findBands } from './find-gutter.ts';
import { joinCentredCells } from './join-centred-cells.ts';
import { isRightToLeft, type Line } from './pdf-lines.ts';

/** Lines beside each other that form one row, in reading order. */
export interface Row {
  readonly cells: readonly Line[];
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
  /** Region of the page the row belongs to; rows of different columns are never one paragraph. */
  readonly region: number;
}

/** Sorts the lines of a page into reading order: across the page, or column by column. */
export function orderRows(lines: readonly Line[]): Row[] {
  const upright = lines.filter(({ isRotated }) => !isRotated);
  const regions = findBands(upright).flatMap((band) =>
    band.gutter === undefined ? [band.lines] : splitAtGutter(band.lines, band.gutter),
  );
  // Rotated text, such as a stamp in the margin, is moved to the end.
  const rotated = lines.filter(({ isRotated }) => isRotated);
  return [...regions, ...rotated.map((line) => [line])].flatMap((region, index) => rowsOf(region, index));
}

/** Lines across the gutter divide the page into bands; in each band the left column comes before the right one. */
function splitAtGutter(lines: readonly Line[], gutter: number): Line[][] {
  const regions: Line[][] = [];
  let leftColumn: Line[] = [];
  let rightColumn: Line[] = [];
  let across: Line[] = [];
  const closeColumns = () => {
    regions.push(leftColumn, rightColumn);
    leftColumn = [];
    rightColumn = [];
  };
  for (const line of lines.toSorted((a, b) => b.y - a.y)) {
    if (line.x < gutter && line.right > gutter) {
      closeColumns();
      across.push(line);
      continue;
    }
    if (across.length > 0) regions.push(across);
    across = [];
    (line.right <= gutter ? leftColumn : rightColumn).push(line);
  }
  if (across.length > 0) regions.push(across);
  closeColumns();
  return regions.filter((region) => region.length > 0);
}

function rowsOf(lines: readonly Line[], region: number): Row[] {
  const rows: Line[][] = [];
  for (const line of lines.toSorted((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row !== undefined && first !== undefined && Math.abs(first.y - line.y) < 0.4 * Math.min(first.size, line.size))
      row.push(line);
    else rows.push([line]);
  }
  const withCells = joinCentredCells(rows.map((row) => ({ lines: row, y: row[0]?.y ?? 0 })));
  return withCells.map(({ lines: row }) => {
    const backwards = row.filter(({ text }) => isRightToLeft(text)).length > row.length / 2;
    const cells = joinSigns(row.toSorted((a, b) => (backwards ? b.x - a.x : a.x - b.x)));
    return {
      cells,
      x: Math.min(...cells.map(({ x }) => x)),
      right: Math.max(...cells.map(({ right }) => right)),
      y: Math.max(...cells.map(({ y }) => y)),
      size: Math.max(...cells.map(({ size }) => size)),
      isBold: cells.every(({ isBold }) => isBold),
      isMono: cells.every(({ isMono }) => isMono),
      region,
    };
  });
}

const BULLET = /^(?:[•◦▪■●‣–*\uf0a7\uf0b7\uf06e]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])$/i;
const BEFORE_NUMBER = /^[$€£¥(]{1,2}$/;
const AFTER_NUMBER = /^[)%]{1,2}$/;
const SIGN_OF_NEXT = /^(.*\d\)?) ([$€£¥])$/;

/** Joins a bullet to its text, and a currency sign or bracket to its number, at any distance. */
function joinSigns(cells: readonly Line[]): Line[] {
  const joined: Line[] = [];
  for (const given of cells) {
    let cell = cells.length > 1 ? { ...given, text: removeSignSpaces(given.text) } : given;
    const before = joined.at(-1);
    const [, number, sign] = before === undefined ? [] : (SIGN_OF_NEXT.exec(before.text) ?? []);
    // Even when it is close to the previous number, the sign belongs to the next one.
    if (before !== undefined && number !== undefined && sign !== undefined && /^[\d(]/.test(cell.text)) {
      joined[joined.length - 1] = { ...before, text: number };
      cell = { ...cell, text: `${sign}${cell.text}` };
    }
    const last = joined.at(-1);
    const isSign = last !== undefined && (BEFORE_NUMBER.test(last.text) || AFTER_NUMBER.test(cell.text));
    const isPoint = last !== undefined && joined.length === 1 && cells.length === 2 && BULLET.test(last.text);
    if (last !== undefined && (isSign || isPoint)) {
      const text = `${last.text}${isPoint ? ' ' : ''}${cell.text}`;
      const x = Math.min(last.x, cell.x);
      const runs = [...last.runs, ...cell.runs];
      joined[joined.length - 1] = { ...cell, text, x, right: Math.max(last.right, cell.right), runs };
    } else joined.push(cell);
  }
  return joined;
}

/** Closes the gaps in `$ 48` and `( 15 )`, each of which is one number in a table. */
const removeSignSpaces = (text: string): string =>
  text.replace(/^([$€£¥(]) (?=[\d(.])/, '$1').replace(/(\d) ([)%]+)$/, '$1$2');
