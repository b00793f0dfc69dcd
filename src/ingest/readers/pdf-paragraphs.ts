import { isRightToLeft } from './pdf-lines.ts';
import { median, type Row } from './pdf-order.ts';
import type { Block } from './reader.ts';

export interface PdfBlock {
  readonly kind: Block['kind'];
  readonly text: string;
  readonly level?: number;
}

/** What the whole document says about itself: the size most text is set in, sizes of headings, words it uses. */
export interface Typography {
  readonly bodySize: number;
  /** Largest first. */
  readonly headingSizes: readonly number[];
  /** Words in lower case, with their inner hyphens. */
  readonly words: ReadonlySet<string>;
}

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
  return { bodySize, headingSizes, words };
}

/** Characters set in each size. */
function sizesOf(rows: readonly Row[]): Map<number, number> {
  const lengths = new Map<number, number>();
  for (const { text, size } of rows.flatMap(({ cells }) => cells)) {
    lengths.set(round(size), (lengths.get(round(size)) ?? 0) + text.length);
  }
  return lengths;
}

const mostUsed = (lengths: ReadonlyMap<number, number>): readonly [number, number] =>
  [...lengths].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [10, 0]);

/** Half points: what a font's rounding makes of one size is one size. */
const round = (size: number): number => Math.round(size * 2) / 2;

/** Rebuilds the paragraphs, headings, lists and tables of a page from its rows. */
export function buildBlocks(rows: readonly Row[], ofDocument: Typography): PdfBlock[] {
  const typography = onThisPage(rows, ofDocument);
  const leading = usualLeading(rows, typography.bodySize);
  const edges = new Map(
    [...Map.groupBy(rows, ({ region }) => region)].map(([region, members]) => [region, edgesOf(members)]),
  );
  const blocks: PdfBlock[] = [];
  let open: Row[] = [];
  const close = () => {
    if (open.length > 0) blocks.push(toBlock(open, typography));
    open = [];
  };
  for (const row of rows) {
    const last = open.at(-1);
    const edge = edges.get(row.region);
    if (
      last !== undefined &&
      edge !== undefined &&
      isBorder({ last, row, first: open[0] ?? last, leading, edge, typography })
    )
      close();
    open.push(row);
  }
  close();
  return blocks;
}

/** A page set in another size throughout, such as an appendix, is no page of headings. */
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

interface Edges {
  readonly left: number;
  readonly right: number;
}

const edgesOf = (rows: readonly Row[]): Edges => ({
  left: median(rows.map(({ x }) => x)),
  right: rows.map(({ right }) => right).toSorted((a, b) => a - b)[Math.floor(rows.length * 0.85)] ?? 0,
});

/** Distance of base lines in running text; small print and figures do not count. */
function usualLeading(rows: readonly Row[], bodySize: number): number {
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
  readonly leading: number;
  readonly edge: Edges;
  readonly typography: Typography;
}

const BULLET = /^(?:[•◦▪■●‣–*]\s|\(?\d{1,2}[.)]\s|\(?[a-z][.)]\s|\[\d{1,3}\]\s)/;
const SENTENCE_END = /[.!?:;。！？]["”’»)\]]?$/;

/** True when `row` begins another block than the one `last` belongs to. */
function isBorder({ first, last, row, leading, edge, typography }: Step): boolean {
  if (last.region !== row.region || last.cells.length > 1 !== row.cells.length > 1) return true;
  const gap = last.y - row.y;
  const lineHeight = Math.max(leading, 0.9 * Math.max(last.size, row.size));
  if (row.cells.length > 1) return gap > 2.5 * lineHeight;
  if (Math.abs(last.size - row.size) > 0.08 * Math.max(last.size, row.size)) return true;
  const isHeading = headingLevel(row.size, typography) !== undefined;
  if (gap < 0 || gap > (isHeading ? 1.8 * Math.max(leading, row.size) : 1.35 * lineHeight)) return true;
  const text = textOf(row);
  if (BULLET.test(text) && row.x <= first.x + 2) return true;
  if (isHeading) return false;
  const em = row.size;
  const lastIsShort = last.right < edge.right - 0.15 * (edge.right - edge.left);
  const isIndented = row.x > first.x + 0.8 * em && row.x > last.x + 0.8 * em && !BULLET.test(textOf(first));
  if (isIndented && row.x > edge.left + 0.8 * em && !isRightToLeft(text))
    return SENTENCE_END.test(textOf(last)) || lastIsShort;
  return lastIsShort && SENTENCE_END.test(textOf(last)) && /^[\p{Lu}\p{N}"“(]/u.test(text);
}

const textOf = (row: Row): string => row.cells.map(({ text }) => text).join(' ');

function headingLevel(size: number, { headingSizes }: Typography): number | undefined {
  const index = headingSizes.indexOf(round(size));
  return index === -1 ? undefined : Math.min(6, index + 1);
}

const MAX_HEADING = 200;

/** Large letters alone make no heading: it is short, and no sentence. */
const isHeadingText = (text: string): boolean =>
  text.length <= MAX_HEADING && /\p{L}/u.test(text) && !(text.length > 60 && /[.;,]$/.test(text));

function toBlock(rows: readonly Row[], typography: Typography): PdfBlock {
  const first = rows[0];
  if (first !== undefined && first.cells.length > 1) {
    return {
      kind: rows.length > 1 ? 'table' : 'paragraph',
      text: rows.map((row) => row.cells.map(({ text }) => text).join('  ')).join('\n'),
    };
  }
  const text = joinText(rows.map(textOf), typography.words);
  const level = first === undefined ? undefined : headingLevel(first.size, typography);
  if (level !== undefined && isHeadingText(text)) return { kind: 'heading', text, level };
  return { kind: BULLET.test(text) ? 'list' : 'paragraph', text };
}

/** Joins lines into running text; a word that was parted at the end of a line becomes one again. */
function joinText(lines: readonly string[], words: ReadonlySet<string>): string {
  let text = '';
  for (const line of lines) {
    const parted = /(\p{L}+(?:-\p{L}+)*)[-\u2010]$/u.exec(text)?.[1];
    const rest = /^\p{Ll}[\p{L}]*/u.exec(line)?.[0];
    if (text === '') text = line;
    else if (parted !== undefined && rest !== undefined) {
      const whole = `${parted}${rest}`.toLowerCase();
      const hyphenated = `${parted}-${rest}`.toLowerCase();
      text = !words.has(whole) && words.has(hyphenated) ? text + line : text.slice(0, -1) + line;
    } else if (/[-\u2010]$/.test(text) && /\p{L}[-\u2010]$/u.test(text)) text += line;
    else text += UNSPACED.test(text.slice(-1)) && UNSPACED.test(line.slice(0, 1)) ? line : ` ${line}`;
  }
  return text;
}

/** Scripts that put no blank between words, so that a line end means none. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
