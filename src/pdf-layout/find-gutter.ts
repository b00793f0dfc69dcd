import { median } from './median.ts';
import type { Line } from './pdf-lines.ts';

/** Lines of a page, and the gutter between the two columns in which they stand, if they do. */
export interface Band {
  readonly lines: readonly Line[];
  readonly gutter?: number;
}

/** Lines from which the lengths of lines alone tell columns of text from a table; fewer must read like running text. */
const MIN_LINES = 16;
/** Lines of one column, and of the shorter one beside a column that is long enough. */
const MIN_COLUMN = 3;
const MIN_SHORTER_COLUMN = 2;
const LONG_COLUMN = 6;
/** Of the width of the page's text. */
const MIN_COLUMN_WIDTH = 0.28;
/** Median characters of the lines of a column. */
const MIN_CHARACTERS = 20;
const MAX_CROSSING = 0.25;
/** Pages with more lines, which no one reads, are not searched for parts in columns. */
const MAX_LINES = 2_000;

/**
 * Divides a page at the gutter, the empty strip between two columns of running text: the whole page, or the largest part
 * of it that has one.
 */
export function findBands(lines: readonly Line[]): Band[] {
  const whole = findGutter(lines);
  if (whole !== undefined) return [{ lines, gutter: whole }];
  if (lines.length > MAX_LINES) return [{ lines }];
  const part = findColumnPart(lines.toSorted((a, b) => b.y - a.y));
  if (part === undefined) return [{ lines }];
  const { above, below, ...band } = part;
  return [{ lines: above }, band, ...findBands(below)].filter((each) => each.lines.length > 0);
}

/** The gutter of a page that is mostly set in two columns. */
function findGutter(lines: readonly Line[]): number | undefined {
  if (lines.length < MIN_LINES) return undefined;
  const { left, width } = extentOf(lines);
  let best: { at: number; crossing: number } | undefined;
  for (const at of gutters(left, width)) {
    const crossing = lines.filter((line) => crosses(line, at)).length;
    const isMoreCentral = best !== undefined && offCentre(at, left, width) < offCentre(best.at, left, width);
    if (best === undefined || crossing < best.crossing || (crossing === best.crossing && isMoreCentral))
      best = { at, crossing };
  }
  if (best === undefined || best.crossing > lines.length * MAX_CROSSING) return undefined;
  const { at } = best;
  const isColumn = (column: readonly Line[]) => column.length >= 6 && hasLongLines(column, width);
  return columnsAt(lines, at).every(isColumn) ? at : undefined;
}

interface Part extends Band {
  readonly above: readonly Line[];
  readonly below: readonly Line[];
}

/** The longest sequence of rows in two columns of running text. `lines` are sorted from the top. */
function findColumnPart(lines: readonly Line[]): Part | undefined {
  const { left, width } = extentOf(lines);
  let best: { at: number; from: number; to: number } | undefined;
  for (const at of gutters(left, width)) {
    for (let start = 0; start < lines.length; ) {
      let end = start;
      while (end < lines.length && !crosses(lines[end], at)) end++;
      const { from, to } = wholeRows(lines, start, end);
      const length = to - from;
      const isLonger = best === undefined || length > best.to - best.from;
      const isMoreCentral =
        best !== undefined &&
        length === best.to - best.from &&
        offCentre(at, left, width) < offCentre(best.at, left, width);
      if ((isLonger || isMoreCentral) && areColumns(lines.slice(from, to), at, width)) best = { at, from, to };
      start = end + 1;
    }
  }
  if (best === undefined) return undefined;
  const { at, from } = best;
  const to = withoutHeading(lines, best);
  return { lines: lines.slice(from, to), gutter: at, above: lines.slice(0, from), below: lines.slice(to) };
}

/** The lines without those in a row with the line that crosses the gutter before or after them. */
function wholeRows(lines: readonly Line[], start: number, end: number): { readonly from: number; readonly to: number } {
  let [from, to] = [start, end];
  while (from < to && isSameRow(lines[from], lines[start - 1])) from++;
  while (from < to && isSameRow(lines[to - 1], lines[end])) to--;
  return { from, to };
}

const isSameRow = (line: Line | undefined, other: Line | undefined): boolean =>
  line !== undefined && other !== undefined && Math.abs(line.y - other.y) < 0.4 * Math.min(line.size, other.size);

/** The end of the columns without a heading below the left one, which belongs to the text below. */
function withoutHeading(
  lines: readonly Line[],
  { at, from, to }: { readonly at: number; readonly from: number; readonly to: number },
): number {
  const [left, right] = columnsAt(lines.slice(from, to), at);
  const bottom = Math.min(...right.map(({ y }) => y));
  const leading = median(pairsOf(left).map(([before, line]) => before.y - line.y));
  const gap = pairsOf(left).findLast(([before, line]) => line.y < bottom && before.y - line.y > 1.4 * leading);
  return gap === undefined ? to : lines.indexOf(gap[1]);
}

/** Whether these lines are two columns of running text, and not the cells of a table. */
function areColumns(lines: readonly Line[], gutter: number, width: number): boolean {
  const columns = columnsAt(lines, gutter);
  const [shorter = 0, longer = 0] = columns.map(({ length }) => length).toSorted((a, b) => a - b);
  if (shorter < (longer >= LONG_COLUMN ? MIN_SHORTER_COLUMN : MIN_COLUMN)) return false;
  if (!columns.every((column) => hasLongLines(column, width) && runsOn(column))) return false;
  return !startTogether(columns);
}

const hasLongLines = (column: readonly Line[], width: number): boolean =>
  median(column.map((line) => line.right - line.x)) > width * MIN_COLUMN_WIDTH &&
  median(column.map(({ text }) => lengthOf(text))) > MIN_CHARACTERS;

/** Ideographs are as wide as two letters. */
const lengthOf = (text: string): number => text.length + (text.match(CASELESS_WIDE)?.length ?? 0);
const CASELESS_WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Share of the lines that continue a sentence of the line before; half the nouns of German have capital letters. */
const MIN_CONTINUING = 0.4;
const SEVERAL_WORDS = /\S\s+\S+\s+\S|\p{Lo}{8}/u;
const SENTENCE_END = /[.!?:;。！？؟।]["”’»)\]]?$/u;

/** Whether most of the lines continue the sentence of the line before. */
function runsOn(column: readonly Line[]): boolean {
  const pairs = pairsOf(column);
  const continuing = pairs.filter(
    ([before, line]) =>
      /^[\p{Ll}\p{Lo}]/u.test(line.text) && SEVERAL_WORDS.test(before.text) && !SENTENCE_END.test(before.text),
  );
  const figures = column.filter(({ text }) => /^[\W\d]+$/u.test(text) && !/\p{L}/u.test(text)).length;
  return figures < column.length / 4 && continuing.length >= Math.max(1, pairs.length * MIN_CONTINUING);
}

/** Whether the paragraphs on both sides begin at the same heights, as the cells of a row do. */
function startTogether([left = [], right = []]: readonly (readonly Line[])[]): boolean {
  const [starts, others] = [startsOf(left), startsOf(right)];
  const together = starts.filter((line) => others.some((other) => Math.abs(other.y - line.y) < 0.5 * line.size));
  return together.length > 0 && together.length >= 0.6 * Math.min(starts.length, others.length);
}

/** The lines that begin a paragraph after another one. */
function startsOf(column: readonly Line[]): Line[] {
  const pairs = pairsOf(column);
  const leading = median(pairs.map(([before, line]) => before.y - line.y));
  const right = Math.max(...column.map((line) => line.right));
  const width = right - Math.min(...column.map(({ x }) => x));
  return pairs.flatMap(([before, line]) => {
    const isApart = before.y - line.y > 1.3 * leading;
    const isEnd = SENTENCE_END.test(before.text) || before.right < right - 0.25 * width;
    return isApart || (isEnd && /^[\p{Lu}\p{N}]/u.test(line.text)) ? [line] : [];
  });
}

function pairsOf(column: readonly Line[]): (readonly [Line, Line])[] {
  const sorted = column.toSorted((a, b) => b.y - a.y);
  return sorted.flatMap((line, index) => {
    const before = sorted[index - 1];
    return before === undefined ? [] : [[before, line] as const];
  });
}

const columnsAt = (lines: readonly Line[], gutter: number): [Line[], Line[]] => [
  lines.filter(({ right }) => right <= gutter),
  lines.filter(({ x }) => x >= gutter),
];

function extentOf(lines: readonly Line[]): { readonly left: number; readonly width: number } {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  const right = lines.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  return { left, width: right - left };
}

/** Places where the gutter may be: near the middle. */
const gutters = (left: number, width: number): number[] =>
  Array.from({ length: 30 }, (_, index) => left + width * (0.35 + index / 100));

// In whole percent, so that rounding does not decide between two places.
const offCentre = (at: number, left: number, width: number): number =>
  Math.round(100 * Math.abs((at - left) / width - 0.5));

const crosses = (line: Line | undefined, at: number): boolean => line !== undefined && line.x < at && line.right > at;
