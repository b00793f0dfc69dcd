import { startsListItem } from './list-items.ts';

/** A range of text, UTF-16 offsets, end exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Lines that belong together: prose with soft line breaks, or a single line. */
export interface Paragraph extends TextSpan {
  readonly kind: 'prose' | 'line';
}

interface Line extends TextSpan {
  readonly text: string;
}

const FENCE = /^\s*(?:`{3,}|~{3,})/;
const TABLE_ROW = /^\s*\||\S[^\S\t]*\t\s*\S/;
const HEADING = /^\s{0,3}#{1,6}\s/;
const RULE = /^\s*(?:[-=_*~]\s*){3,}$/;
const LINK_DEFINITION = /^\s*\[[^\]]{1,200}\]:\s*\S+\s*$/;
const CODE_LINE = /[{}]\s*$|^\s*(?:\/\/|\/\*|\*\/|<\/?\w[^>]*>\s*$)/;
const INDENTED = /^(?: {4}|\t)\s*\S/;
// A semicolon ends clauses of prose as well.
const STATEMENT = /;\s*$/;
const CODE_SIGNS = /[={}<>]|\w\(|::|->|^\s*[\w.$]+;/;
const INLINE_CODE = /`[^`]*`/g;

// "price in kroner: 64", "ferries[0].built: 1987": a short label and its value.
const RECORD = /^\s*[\p{L}_$][^\s:;.!?,]{0,60}(?:\.[^\s:;]{1,200})?(?: [^\s:;.!?,]{1,40}){0,3}: \S/u;

// Prose is rarely set in narrower columns; shorter lines are verses, addresses or labels.
const NARROWEST_COLUMN = 32;
/** Maximum number of lines held for one paragraph: longer ones are data and must not exhaust the memory. */
const MAX_LINES = 1_000;
/** Long words such as URLs are not wrapped, so they do not count for the width of the column. */
const UNBREAKABLE = /(?<!\S)\S{40,}/g;

/** Groups the lines of a text into paragraphs; only white space lies between them. */
export function* paragraphsOf(text: string): Generator<Paragraph> {
  let open: Line[] = [];
  let fence = false;
  let number = 0;
  let before: Line | undefined;
  for (const line of linesOf(text)) {
    const isBlank = line.text.trim() === '';
    const opensOrCloses = FENCE.test(line.text);
    const alone = fence || opensOrCloses || standsAlone(line.text, before?.text ?? '', open);
    if (opensOrCloses) fence = !fence;
    const surrounding = { last: number, before: open.at(-1)?.text, first: open[0]?.text };
    const item = alone || isBlank ? undefined : startsListItem(line.text, surrounding);
    number = item?.number ?? number;
    if (alone || item !== undefined || isBlank || open.length === MAX_LINES) {
      yield* closeParagraph(open);
      open = [];
    }
    before = line;
    if (isBlank) continue;
    if (alone) yield { kind: 'line', start: line.start, end: line.end };
    else open.push(line);
  }
  yield* closeParagraph(open);
}

function standsAlone(text: string, before: string, open: readonly Line[]): boolean {
  if (TABLE_ROW.test(text.trim()) || HEADING.test(text) || RULE.test(text) || LINK_DEFINITION.test(text)) return true;
  if (pipesIn(text) > 1 && (pipesIn(before) > 1 || open.length === 0)) return true;
  if (CODE_LINE.test(text)) return true;
  const plain = text.replace(INLINE_CODE, '');
  if (STATEMENT.test(text) && CODE_SIGNS.test(plain)) return true;
  return INDENTED.test(text) && !continuesProse(plain, open);
}

/** Indented lines are code, unless they continue a list item or prose that is indented as a whole. */
function continuesProse(text: string, open: readonly Line[]): boolean {
  if (CODE_SIGNS.test(text) || STATEMENT.test(text)) return false;
  const [first] = open;
  const last = open.at(-1);
  const isOpen = last !== undefined && !/:\s*$/.test(last.text);
  if (isOpen && (INDENTED.test(last.text) || startsListItem(first?.text ?? '') !== undefined)) return true;
  return readsAsProse(text) || startsListItem(text) !== undefined;
}

const readsAsProse = (text: string): boolean =>
  (text.match(/(?<!\S)["“„«(]?\p{L}[\p{L}\p{M}’'-]*[.,;:!?)”"»]*(?!\S)/gu)?.length ?? 0) >= 4;

const pipesIn = (text: string): number => text.replace(INLINE_CODE, '').match(/(?<=\S\s*)\|(?=\s*\S)/g)?.length ?? 0;

/**
 * Yields prose lines up to the next blank or special line as one paragraph; with deliberate line breaks, each line is
 * its own.
 */
function* closeParagraph(lines: readonly Line[]): Generator<Paragraph> {
  const isBroken = breaksOf(lines);
  let start: number | undefined;
  for (const [index, line] of lines.entries()) {
    start ??= line.start;
    const next = lines[index + 1];
    if (next !== undefined && !isBroken(line.text, next.text)) continue;
    const isRow = start === line.start && (isRowBeside(line, next) || isRowBeside(line, lines[index - 1]));
    yield { kind: isRow ? 'line' : 'prose', start, end: line.end };
    start = undefined;
  }
}

type IsBroken = (line: string, next: string) => boolean;

/** Returns a test that tells deliberate line breaks from soft wraps. */
function breaksOf(lines: readonly Line[]): IsBroken {
  let widest = 0;
  for (const { text } of lines) widest = Math.max(widest, text.trimEnd().replace(UNBREAKABLE, '').length);
  const isList = areLinesOfTheirOwn(lines, widest);
  const isItem = lines[0] !== undefined && startsListItem(lines[0].text) !== undefined;
  return (line, next) => {
    if (HARD_BREAK.test(line) || areRecords(line, next)) return true;
    if (isItem && (BELOW_ITEM.test(next) || CONTINUATION.test(next))) return false;
    if (isList || widest < NARROWEST_COLUMN) return true;
    const isContinued = CONTINUATION.test(next) || (isOpenEnd(line) && OPENS_MARKUP.test(next)) || /,\s*$/.test(line);
    return !isContinued && fits(line, next, widest * 0.6);
  };
}

/** A hard line break in Markdown or HTML. */
const HARD_BREAK = /(?: {2}|\\|<br ?\/?>\s*)\r?$/i;

const BELOW_ITEM = /^(?: {2}|\t)/;

/** The line continues a sentence of the line before. */
const CONTINUATION = /^\s*["“„«(]?\p{Ll}/u;

/** Links and code begin with these characters anywhere in a sentence. */
const OPENS_MARKUP = /^\s*[`[(<*_]/;
const isOpenEnd = (line: string): boolean => /[^.:!?…]$/.test(line.trimEnd().slice(-1));

const CAPITAL_OR_DIGIT = /^\s*["“„«(]?[\p{Lu}\p{N}]/u;

const WIDEST_VERSE = 60;

/** Whether narrow lines that begin like sentences are verse or list items: they end early or in mid-sentence. */
function areLinesOfTheirOwn(lines: readonly Line[], widest: number): boolean {
  if (lines.length < 3 || widest > WIDEST_VERSE) return false;
  if (!lines.every(({ text }) => CAPITAL_OR_DIGIT.test(text))) return false;
  const before = lines.slice(0, -1);
  const fitting = before.filter(({ text }, index) => fits(text, lines[index + 1]?.text ?? '', widest)).length;
  const unfinished = before.filter(({ text }) => !/[.!?…][)"”’]*\s*$/.test(text)).length;
  return fitting === before.length || (before.length > 2 && unfinished > 1);
}

/** A single labelled line may begin prose ("Note: ..."); two in a row are a list of values. */
const areRecords = (line: string, next: string): boolean =>
  (RECORD.test(line) && RECORD.test(next)) || haveOneLabel(line, next);

/** The first column name in a row of labelled values: `Name of the line: North; Fare: 12`. */
const ROW_LABEL = /^\s*([^\s:;][^:;]{0,119}): .*; [^:;]{1,120}: /;

function haveOneLabel(line: string, other: string): boolean {
  const label = ROW_LABEL.exec(line)?.[1];
  return label !== undefined && label === ROW_LABEL.exec(other)?.[1];
}

const isRowBeside = (line: Line, other: Line | undefined): boolean =>
  other !== undefined && haveOneLabel(line.text, other.text);

/** Whether the first word of the next line would have fitted on this line. */
const fits = (line: string, next: string, width: number): boolean =>
  line.trimEnd().length + 1 + (/^\s*(\S*)/.exec(next)?.[1]?.length ?? 0) <= width;

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield { start, end, text: text.slice(start, end) };
    start = end + 1;
  }
}
