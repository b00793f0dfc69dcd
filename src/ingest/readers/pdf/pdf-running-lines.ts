import { median } from '../../../pdf-layout/median.ts';
import type { Row } from '../../../pdf-layout/pdf-order.ts';

/** Rows checked at each end of a page. */
const EDGE_ROWS = 3;
const MIN_PAGES = 3;

/**
 * Drops running headers and footers: text at the edge of a page that repeats, apart from the numbers of pages, on at
 * least half of the pages (or of every other page, as in books), titles of chapters beside the number of the page, and
 * bare page numbers.
 */
export function dropRunningHeaders(pages: readonly (readonly Row[])[]): Row[][] {
  const numbered = numberedLines(pages);
  const groups = new Map<string, EdgeRow[]>();
  const edges = pages.map((rows, page) => edgesOf(rows).map((row) => edgeRow(row, page)));
  for (const row of edges.flat()) {
    const group = groups.get(row.key);
    if (group === undefined) groups.set(row.key, [row]);
    else group.push(row);
  }
  const needed = Math.max(MIN_PAGES, Math.floor(pages.length * 0.4));
  const repeated = new Set<string>();
  for (const [key, rows] of groups) {
    const pageCount = new Set(rows.map(({ page }) => page)).size;
    if (pageCount >= (isPageNumber(key) ? MIN_PAGES : needed) && areContinued(rows)) repeated.add(key);
  }
  return pages.map((rows, index) => {
    const own = edges[index] ?? [];
    const atEdge = new Set(own.map(({ row }) => row));
    const within = new Set(rows.filter((row) => !atEdge.has(row)).map((row) => shapeOf(edgeRow(row, index).key)));
    const dropped = new Set(
      own.flatMap(({ row, key }) => {
        if (numbered.has(row)) return [row];
        // Numbered rows that also occur further inside the page belong to a table or list that spans pages.
        return repeated.has(key) && !(key.includes('#') && within.has(shapeOf(key))) ? [row] : [];
      }),
    );
    // A page of only repeated rows is a form, not running headers.
    return dropped.size >= rows.length && pages.length < 2 * MIN_PAGES
      ? [...rows]
      : rows.filter((row) => !dropped.has(row));
  });
}

function edgesOf(rows: readonly Row[]): Row[] {
  const byHeight = rows.toSorted((a, b) => b.y - a.y);
  return [...new Set([...byHeight.slice(0, EDGE_ROWS), ...byHeight.slice(-EDGE_ROWS)])];
}

/** A row at the edge of a page. Rows with the same key differ only in the numbers. */
interface EdgeRow {
  readonly row: Row;
  readonly page: number;
  readonly key: string;
  readonly numbers: readonly number[];
}

/** Longer rows are text: they count as running headers only when they repeat exactly. */
const MAX_NUMBERED = 60;
/** Numbers in digits or Roman, but not those of identifiers such as `INV-2024-1041`. */
const NUMBERS = /(?<!\p{L}{2}[-/_#][-/_#\d]*|\d)\d+|(?<![\p{L}\d])[ivxlc]+(?![\p{L}\d])/giu;

function edgeRow(row: Row, page: number): EdgeRow {
  const text = row.cells.map((cell) => cell.text).join(' ');
  const number = /^\W{0,3}(\d{1,4})\W{0,3}$/.exec(text)?.[1];
  // Page numbers may be at any position, but increase with the pages.
  if (number !== undefined) return { row, page, key: `${PAGE_NUMBER}${Number(number) - page}`, numbers: [] };
  // A row of several bare numbers is part of a table.
  const isNumbered = text.length <= MAX_NUMBERED && (row.cells.length === 1 || /\p{L}{3}/u.test(text));
  const numbers = isNumbered ? (text.match(NUMBERS) ?? []) : [];
  const words = isNumbered ? text.replace(NUMBERS, '#') : text;
  return {
    row,
    page,
    key: `${words.toLowerCase()}@${Math.round(row.y / 12)}`,
    numbers: numbers.map((each) => (/^\d/.test(each) ? Number(each) : fromRoman(each))),
  };
}

/**
 * Whether the numbers of most rows are those of pages: each equals that of the previous or next row, or differs from it
 * as the pages do. Other numbers, such as the totals of bills, are text of their page.
 */
function areContinued(rows: readonly EdgeRow[]): boolean {
  const continued = rows.filter(({ page, numbers }, index) =>
    [rows[index - 1], rows[index + 1]].some((other) =>
      numbers.every((number, at) => {
        const difference = (other?.numbers[at] ?? Number.NaN) - number;
        return difference === 0 || difference === (other?.page ?? page) - page;
      }),
    ),
  );
  return continued.length * 2 >= rows.length;
}

/** The key without the position. */
const shapeOf = (key: string): string => key.replace(/@-?\d+$/, '');

const PAGE_NUMBER = 'page number ';
const isPageNumber = (key: string): boolean => key.startsWith(PAGE_NUMBER) && !key.includes('@');

/** A title beside a page number is short, and not set larger than the text. */
const MAX_TITLE = 90;
const MAX_SIZE = 1.15;

/**
 * The first or last rows of pages that consist of the page's number, in digits or Roman, and of a title that changes
 * with the chapter: the numbers are at the same height and increase with the pages.
 */
function numberedLines(pages: readonly (readonly Row[])[]): ReadonlySet<Row> {
  const found = new Map<string, Row[]>();
  for (const [index, rows] of pages.entries()) {
    const size = median(rows.map((row) => row.size));
    const byHeight = rows.toSorted((a, b) => b.y - a.y);
    for (const row of new Set([...byHeight.slice(0, 1), ...byHeight.slice(-1)])) {
      if (row.size > MAX_SIZE * size) continue;
      for (const number of pageNumbersOf(row)) {
        const key = `${number - index}@${Math.round(row.y / 12)}`;
        const others = found.get(key);
        if (others === undefined) found.set(key, [row]);
        else others.push(row);
      }
    }
  }
  return new Set([...found.values()].flatMap((rows) => (rows.length >= MIN_PAGES ? rows : [])));
}

/** The numbers at the ends of a row that may be that of the page. */
function pageNumbersOf({ cells }: Row): number[] {
  const text = cells.map((cell) => cell.text).join('  ');
  if (text.length > MAX_TITLE) return [];
  const isWhole = /^[ivxlc]{1,7}$/i.test(text);
  // Without dots and brackets, which follow the numbers of sections and list items.
  const ends = isWhole
    ? [text]
    : [/^(\d{1,4})(?=\s+\P{Ll})/u.exec(text)?.[1], /(?<=\s)(\d{1,4}|[ivxlc]{1,7})$/u.exec(text)?.[1]];
  return ends.flatMap((end) => (end === undefined ? [] : [/^\d/.test(end) ? Number(end) : fromRoman(end)]));
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

const fromRoman = (text: string): number =>
  [...text.toLowerCase()].reduce((sum, letter, index, letters) => {
    const [value = 0, next = 0] = [ROMAN[letter], ROMAN[letters[index + 1] ?? '']];
    return sum + (value < next ? -value : value);
  }, 0);
