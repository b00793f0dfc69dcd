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
const LIST_ITEM = /^\s*(?:[-*+•‣◦▪–·]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[ivxIVX]{1,5}[.)])\s+\S/;
const TABLE_ROW = /^\s*\||\S\s*\t\s*\S|\S\s*\|\s*\S.*\|/;
const HEADING = /^\s{0,3}#{1,6}\s/;
const RULE = /^\s*(?:[-=_*~]\s*){3,}$/;
const CODE_LINE = /^(?: {4}|\t)\s*\S|[;{}]\s*$|^\s*(?:\/\/|\/\*|\*\/|<\/?\w+[^>]*>\s*$)/;

// "price in kroner: 64", "ferries[0].built: 1987": a short label and its value.
const RECORD = /^\s*[\p{L}_$][^\s:;.!?,]{0,60}(?:\.[^\s:;]{1,200})?(?: [^\s:;.!?,]{1,40}){0,3}: \S/u;

// Prose is rarely set narrower; shorter lines are verses, addresses, labels.
const NARROWEST_COLUMN = 32;

const standsAlone = (text: string): boolean =>
  TABLE_ROW.test(text) || HEADING.test(text) || RULE.test(text) || CODE_LINE.test(text);

/** Groups the lines of a text into paragraphs; only white space lies between them. */
export function* paragraphsOf(text: string): Generator<Paragraph> {
  let open: Line[] = [];
  let fence = false;
  for (const line of linesOf(text)) {
    const opensOrCloses = FENCE.test(line.text);
    const alone = fence || opensOrCloses || standsAlone(line.text);
    if (opensOrCloses) fence = !fence;
    if (alone || LIST_ITEM.test(line.text) || line.text.trim() === '') {
      yield* closeParagraph(open);
      open = [];
    }
    if (line.text.trim() === '') continue;
    if (alone) yield { kind: 'line', start: line.start, end: line.end };
    else open.push(line);
  }
  yield* closeParagraph(open);
}

/**
 * Yields prose lines up to the next blank or special line as one paragraph; with deliberate line breaks, each line is
 * its own.
 */
function* closeParagraph(lines: readonly Line[]): Generator<Paragraph> {
  let widest = 0;
  for (const line of lines) widest = Math.max(widest, line.text.trimEnd().length);
  let start: number | undefined;
  for (const [index, line] of lines.entries()) {
    start ??= line.start;
    const next = lines[index + 1];
    if (next !== undefined && !areRecords(line.text, next.text) && !wasBrokenOnPurpose(line.text, next.text, widest))
      continue;
    yield { kind: 'prose', start, end: line.end };
    start = undefined;
  }
}

/** One such line may begin prose ("Note: ..."); two in a row are a list of values. */
const areRecords = (line: string, next: string): boolean => RECORD.test(line) && RECORD.test(next);

/** True when the next line's first word would easily have fitted. */
function wasBrokenOnPurpose(line: string, next: string, widest: number): boolean {
  if (widest < NARROWEST_COLUMN) return true;
  const firstWord = /^\s*(\S*)/.exec(next)?.[1]?.length ?? 0;
  return line.trimEnd().length + firstWord + 1 < widest * 0.6;
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield { start, end, text: text.slice(start, end) };
    start = end + 1;
  }
}
