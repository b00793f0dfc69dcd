import { median } from '../../../pdf-layout/median.ts';
import { isRightToLeft } from '../../../pdf-layout/pdf-lines.ts';
import type { Row } from '../../../pdf-layout/pdf-order.ts';
import type { Block } from '../reader.ts';
import { codeRows, codeText, hasDistinctCode } from './pdf-code.ts';
import { splitNarrowColumns } from './pdf-columns.ts';
import { contentsRows, contentsText } from './pdf-contents.ts';
import { type Edges, joinJustifiedLines } from './pdf-justified.ts';
import { pdfTable } from './pdf-table.ts';

export interface PdfBlock {
  readonly kind: Block['kind'];
  readonly text: string;
  readonly level?: number;
}

/** Statistics of the whole document: body text size, heading sizes, vocabulary. */
export interface Typography {
  readonly bodySize: number;
  /** Largest first. */
  readonly headingSizes: readonly number[];
  /** False if bold type is too common to mark headings. */
  readonly hasBoldHeadings: boolean;
  /** False if type of one width is too common to mark programs. */
  readonly hasCode: boolean;
  /** Words in lower case, including hyphenated ones. */
  readonly words: ReadonlySet<string>;
}

/** Above this share of the text, bold type is not distinctive. */
const MAX_BOLD = 0.3;

export function readTypography(pages: readonly (readonly Row[])[]): Typography {
  const rows = pages.flat();
  const lengths = sizesOf(rows);
  const words = new Set<string>();
  for (const { text } of rows.flatMap(({ cells }) => cells)) {
    for (const [word] of text.matchAll(/\p{L}+(?:-\p{L}+)*(?![\p{L}-])/gu)) words.add(word.toLowerCase());
  }
  const [bodySize] = mostUsed(lengths);
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const headingSizes = [...lengths]
    .filter(([size, length]) => size >= bodySize * 1.12 && length < total * 0.2)
    .map(([size]) => size)
    .sort((a, b) => b - a);
  const bold = rows.reduce((sum, row) => sum + (row.isBold ? lengthOf(row) : 0), 0);
  return { bodySize, headingSizes, hasBoldHeadings: bold < total * MAX_BOLD, hasCode: hasDistinctCode(rows), words };
}

const lengthOf = ({ cells }: Row): number => cells.reduce((sum, { text }) => sum + text.length, 0);

/** Number of characters per font size. */
function sizesOf(rows: readonly Row[]): Map<number, number> {
  const lengths = new Map<number, number>();
  for (const { text, size } of rows.flatMap(({ cells }) => cells)) {
    lengths.set(round(size), (lengths.get(round(size)) ?? 0) + text.length);
  }
  return lengths;
}

const mostUsed = (lengths: ReadonlyMap<number, number>): readonly [number, number] =>
  [...lengths].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [10, 0]);

/** Rounded to half points, because fonts vary slightly around one size. */
const round = (size: number): number => Math.round(size * 2) / 2;

/** Reconstructs the paragraphs, headings, lists and tables of a page from its rows. */
export function buildBlocks(ofPage: readonly Row[], ofDocument: Typography): PdfBlock[] {
  const typography = onThisPage(ofPage, ofDocument);
  const edges = new Map(
    [...Map.groupBy(ofPage, ({ region }) => region)].map(([region, members]) => [region, edgesOf(members)]),
  );
  const rows = splitNarrowColumns(joinJustifiedLines(ofPage, edges));
  const special = specialRows(rows, edges, typography);
  const leading = bodyLeading(rows, typography.bodySize);
  const blocks: PdfBlock[] = [];
  let open: Row[] = [];
  const close = () => {
    const kind = open[0] === undefined ? undefined : special.get(open[0]);
    if (kind === 'code') blocks.push({ kind, text: codeText(open) });
    else if (kind === 'contents') blocks.push({ kind: 'list', text: contentsText(open) });
    else if (open.length > 0) blocks.push(toBlock(open, typography));
    open = [];
  };
  for (const [index, row] of rows.entries()) {
    const last = open.at(-1);
    const edge = edges.get(row.region);
    const isWithinTable = standsWithinTable(rows, index) || continuesCell(row, open);
    if (last !== undefined && (special.has(last) || special.has(row))) {
      if (special.get(last) !== special.get(row) || isFar(last, row)) close();
    } else if (
      last !== undefined &&
      edge !== undefined &&
      isBorder({ last, row, isWithinTable, first: open[0] ?? last, leading, edge, typography })
    )
      close();
    open.push(row);
  }
  close();
  return blocks;
}

/** Rows that are neither running text nor tables. */
function specialRows(
  rows: readonly Row[],
  edges: ReadonlyMap<number, Edges>,
  { hasCode, headingSizes }: Typography,
): ReadonlyMap<Row, 'code' | 'contents'> {
  const special = new Map<Row, 'code' | 'contents'>();
  for (const row of contentsRows(rows)) special.set(row, 'contents');
  if (!hasCode) return special;
  for (const row of codeRows(rows, edges)) {
    if (!special.has(row) && !headingSizes.includes(round(row.size))) special.set(row, 'code');
  }
  return special;
}

const isFar = (last: Row, row: Row): boolean =>
  last.region !== row.region || last.y - row.y < 0 || last.y - row.y > 3.2 * Math.max(last.size, row.size);

/** Adjusts the typography for a page set in another size throughout, such as an appendix. */
function onThisPage(rows: readonly Row[], typography: Typography): Typography {
  const own = sizesOf(rows);
  const total = [...own.values()].reduce((sum, length) => sum + length, 0);
  const [size, length] = mostUsed(own);
  if (size <= typography.bodySize || total < 600 || length < total * 0.6) return typography;
  return {
    ...typography,
    bodySize: size,
    headingSizes: typography.headingSizes.filter((other) => other >= size * 1.12),
  };
}

const edgesOf = (rows: readonly Row[]): Edges => ({
  left: median(rows.map(({ x }) => x)),
  right: rows.map(({ right }) => right).toSorted((a, b) => a - b)[Math.floor(rows.length * 0.85)] ?? 0,
});

/** Baseline distance of running text; small print and figures do not count. */
function bodyLeading(rows: readonly Row[], bodySize: number): number {
  const gaps = rows.flatMap((row, index) => {
    const before = rows[index - 1];
    if (before === undefined || before.region !== row.region || !isBody(row, bodySize) || !isBody(before, bodySize))
      return [];
    const gap = before.y - row.y;
    return gap > 0.5 * row.size && gap < 2.5 * row.size ? [gap] : [];
  });
  return gaps.length < 3 ? bodySize * 1.3 : median(gaps);
}

const isBody = (row: Row, bodySize: number): boolean => Math.abs(row.size - bodySize) < 0.08 * bodySize;

interface Step {
  readonly first: Row;
  readonly last: Row;
  readonly row: Row;
  /** A single cell between rows of several: a label, or the second line of a cell. */
  readonly isWithinTable: boolean;
  readonly leading: number;
  readonly edge: Edges;
  readonly typography: Typography;
}

const BULLET = /^(?:[•◦▪■●‣–*]\s|\(?\d{1,2}[.)]\s|\(?[a-z][.)]\s|\[\d{1,3}\]\s)/;
const SIGN = /^[•◦▪■●‣–*]\s/;
const COPYRIGHT = /^(?:copyright|\(c\)|\u00a9)\s/i;
const SENTENCE_END = /[.!?:;。！？]["”’»)\]]?$/;

/** Whether `row` begins a new block, rather than continuing that of `last`. */
function isBorder({ first, last, row, isWithinTable, leading, edge, typography }: Step): boolean {
  if (last.region !== row.region) return true;
  const gap = last.y - row.y;
  const lineHeight = Math.max(leading, 0.9 * Math.max(last.size, row.size));
  if (first.cells.length > 1 && (row.cells.length > 1 || isWithinTable))
    return gap > (hasOtherSize(last, row) ? 1.5 : 2.5) * lineHeight;
  if (first.cells.length > 1 !== row.cells.length > 1) return true;
  if (Math.abs(last.size - row.size) > 0.08 * Math.max(last.size, row.size)) return true;
  const isHeading = headingLevel(row.size, typography) !== undefined;
  if (gap < 0 || gap > (isHeading ? 1.8 * Math.max(leading, row.size) : 1.35 * lineHeight)) return true;
  const text = textOf(row);
  if (typography.hasBoldHeadings && !isHeading && last.isBold !== row.isBold) {
    const bold = last.isBold ? last : row;
    if (isHeadingText(textOf(bold)) && bold.right < edge.right - 0.1 * (edge.right - edge.left)) return true;
  }
  if (BULLET.test(text) && row.x <= first.x + 2) return true;
  if (isHeading) return false;
  const em = row.size;
  const lastIsShort = last.right < edge.right - 0.15 * (edge.right - edge.left);
  // Text beside or to the left of a bullet follows the list. The first lines of numbered paragraphs may be indented.
  if (lastIsShort && SIGN.test(textOf(first)) && row.x < first.x + 0.3 * em && /^[\p{Lu}\p{N}"“(]/u.test(text))
    return true;
  const isIndented = row.x > first.x + 0.8 * em && row.x > last.x + 0.8 * em && !BULLET.test(textOf(first));
  if (isIndented && row.x > edge.left + 0.8 * em && !isRightToLeft(text))
    return SENTENCE_END.test(textOf(last)) || lastIsShort;
  if (lastIsShort && (COPYRIGHT.test(text) || COPYRIGHT.test(textOf(last)))) return true;
  return lastIsShort && SENTENCE_END.test(textOf(last)) && /^[\p{Lu}\p{N}"“(]/u.test(text);
}

/** Whether one is set so much smaller that, at a distance, it is no row of the same table but a footer or a note. */
const hasOtherSize = (row: Row, other: Row): boolean =>
  Math.min(row.size, other.size) < 0.85 * Math.max(row.size, other.size);

function standsWithinTable(rows: readonly Row[], index: number): boolean {
  const [before, row, after] = [rows[index - 1], rows[index], rows[index + 1]];
  if (before === undefined || row === undefined || after === undefined || row.cells.length > 1) return false;
  if (after.cells.length < 2 || after.region !== row.region || before.region !== row.region) return false;
  const isNear = before.y - row.y < 2 * row.size && row.y - after.y < 2 * row.size;
  const width = Math.max(before.right, after.right) - Math.min(before.x, after.x);
  return isNear && row.right - row.x < 0.6 * width && !BULLET.test(textOf(row));
}

/** Rows of more cells are rather the labels of a drawing. */
const MAX_CELLS = 8;

/** Whether the row is a further line of a cell of the table, in a column after the first. */
function continuesCell(row: Row, open: readonly Row[]): boolean {
  const last = open.at(-1);
  if (last === undefined || row.cells.length > 1 || last.region !== row.region) return false;
  if (last.y - row.y > 1.4 * row.size || Math.abs(last.size - row.size) > 0.1 * row.size) return false;
  const [label, ...others] = open.findLast(({ cells }) => cells.length > 1)?.cells ?? [];
  // A number in the margin counts lines or notes; its text is no cell.
  if (others.length === 1 && /^\d{1,4}$/.test(label?.text ?? '')) return false;
  return others.length < MAX_CELLS && others.some(({ x }) => Math.abs(x - row.x) < 0.3 * row.size);
}

const textOf = (row: Row): string => row.cells.map(({ text }) => text).join(' ');

function headingLevel(size: number, { headingSizes }: Typography): number | undefined {
  const index = headingSizes.indexOf(round(size));
  return index === -1 ? undefined : Math.min(6, index + 1);
}

const MAX_HEADING = 200;

/** Whether the text can be a heading: short, and not a sentence. */
const isHeadingText = (text: string): boolean =>
  text.length <= MAX_HEADING && /\p{L}/u.test(text) && !(text.length > 60 && /[.;,]$/.test(text));

const MAX_BOLD_HEADING = 120;

/** One or two separate bold lines in body size, as most reports set their minor headings. */
const isBoldHeading = (rows: readonly Row[], text: string, { hasBoldHeadings, bodySize }: Typography): boolean =>
  hasBoldHeadings &&
  rows.length <= 2 &&
  rows.every(({ isBold, size }) => isBold && size > 0.95 * bodySize) &&
  text.length <= MAX_BOLD_HEADING &&
  /\p{L}{2}/u.test(text) &&
  !/[.;,:]$/.test(text) &&
  !/^[•◦▪■●‣–*]/.test(text);

function toBlock(rows: readonly Row[], typography: Typography): PdfBlock {
  const first = rows[0];
  if (first !== undefined && first.cells.length > 1) {
    const table = pdfTable(rows);
    if (table !== undefined) return { kind: 'table', text: table };
    const lines = rows.map((row) => row.cells.map((cell) => cell.text).join('  '));
    // A term and its explanation, which goes on in the next lines.
    if (rows.slice(1).every(({ cells }) => cells.length === 1))
      return { kind: 'paragraph', text: joinText(lines, typography.words) };
    return { kind: 'list', text: lines.join('\n') };
  }
  const text = joinText(rows.map(textOf), typography.words);
  const level = first === undefined ? undefined : headingLevel(first.size, typography);
  if (level !== undefined && isHeadingText(text)) return { kind: 'heading', text, level };
  if (isBoldHeading(rows, text, typography))
    return { kind: 'heading', text, level: Math.min(6, typography.headingSizes.length + 1) };
  return { kind: BULLET.test(text) ? 'list' : 'paragraph', text };
}

/** Joins lines into running text, including words hyphenated at a line end. */
function joinText(lines: readonly string[], words: ReadonlySet<string>): string {
  let text = '';
  for (const line of lines) {
    const hyphenated = /(\p{L}+(?:-\p{L}+)*)[-\u2010]$/u.exec(text)?.[1];
    const rest = /^\p{Ll}[\p{L}]*/u.exec(line)?.[0];
    if (text === '') text = line;
    else if (hyphenated !== undefined && rest !== undefined) {
      text = isCompound(hyphenated.toLowerCase(), rest, words) ? text + line : text.slice(0, -1) + line;
    } else if (/[-\u2010]$/.test(text) && /\p{L}[-\u2010]$/u.test(text)) text += line;
    else text += UNSPACED.test(text.slice(-1)) && UNSPACED.test(line.slice(0, 1)) ? line : ` ${line}`;
  }
  return text;
}

/** Prefixes so common that a hyphen after them is usually a line-break hyphen. */
const PREFIXES = new Set('over under after inter counter super with through fore there where some every'.split(' '));

/** Whether a hyphen at a line end belongs to the word, judging by the rest of the text. */
function isCompound(hyphenated: string, rest: string, words: ReadonlySet<string>): boolean {
  if (words.has(`${hyphenated}${rest}`)) return false;
  if (words.has(`${hyphenated}-${rest}`)) return true;
  // Both halves are words of the text, and longer than syllables.
  return (
    hyphenated.length >= 4 && rest.length >= 4 && !PREFIXES.has(hyphenated) && words.has(hyphenated) && words.has(rest)
  );
}

/** Scripts without spaces between words, in which a line end is not a space. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
