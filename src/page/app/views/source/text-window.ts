import type { Quote } from './quote.ts';

export interface PageSpan {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** A range of a document's text as returned by the service. */
export interface TextWindow {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly pages: readonly PageSpan[];
}

/** Characters per request, and the maximum in the DOM. */
const STEP = 16_000;
const BEFORE_QUOTE = 6_000;
const MAX_QUOTE = 200_000;
const MAX_SHOWN = 300_000;
/** A block ends at the first line break after a multiple of this, so that blocks are stable when the window moves. */
const BLOCK = 2_000;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The initial range: around a quote, or the beginning of the text. */
export function spanAround(quote: Quote | undefined, length: number): Span {
  if (quote === undefined) return { start: 0, end: Math.min(STEP, length) };
  const start = Math.max(0, Math.min(quote.start, length) - BEFORE_QUOTE);
  return { start, end: Math.min(length, Math.min(quote.end, quote.start + MAX_QUOTE) + STEP - BEFORE_QUOTE) };
}

/** The next range to load on one side of the window; undefined at the end of the text. */
export function spanBeside(side: 'before' | 'after', { start, end }: Span, length: number): Span | undefined {
  if (side === 'before') return start === 0 ? undefined : { start: Math.max(0, start - STEP), end: start };
  return end >= length ? undefined : { start: end, end: Math.min(length, end + STEP) };
}

/** Joins two adjacent windows and trims the other side to the maximum. */
export function join(first: TextWindow, second: TextWindow, keep: 'first' | 'second'): TextWindow {
  const both: TextWindow = {
    start: first.start,
    end: second.end,
    text: first.text + second.text,
    pages: [...first.pages, ...second.pages.filter(({ start }) => !first.pages.some((page) => page.start === start))],
  };
  const excess = both.text.length - MAX_SHOWN;
  if (excess <= 0) return both;
  const boundaries = blocksOf(both).map(({ start }) => start);
  if (keep === 'second') {
    const start = boundaries.find((each) => each >= both.start + excess) ?? second.start;
    return { ...both, start, text: both.text.slice(start - both.start) };
  }
  const end = boundaries.findLast((each) => each <= both.end - excess) ?? first.end;
  return { ...both, end, text: both.text.slice(0, end - both.start) };
}

/** A group of whole lines that is rendered together. */
export interface Block {
  readonly start: number;
  readonly text: string;
  /** Number of the page that starts here. */
  readonly page?: number;
}

/** Splits the window at line breaks and page starts. */
export function blocksOf({ start, text, pages }: TextWindow): Block[] {
  const pageAt = new Map(pages.map((page) => [page.start, page.number]));
  const cuts = new Set([start, ...[...pageAt.keys()].filter((each) => each > start && each < start + text.length)]);
  for (let mark = Math.ceil((start + 1) / BLOCK) * BLOCK; mark < start + text.length; mark += BLOCK) {
    const newline = text.indexOf('\n', mark - start);
    if (newline < 0) break;
    if (newline + 1 < text.length) cuts.add(start + newline + 1);
  }
  const ordered = [...cuts].sort((one, two) => one - two);
  return ordered.map((from, index) => {
    const page = pageAt.get(from);
    return {
      start: from,
      text: text.slice(from - start, (ordered[index + 1] ?? start + text.length) - start),
      ...(page === undefined ? {} : { page }),
    };
  });
}

/** A piece of a block that is covered by the same quotes throughout. */
export interface Segment {
  readonly start: number;
  readonly text: string;
  /** Indexes of the covering quotes; empty if not quoted. */
  readonly quotes: readonly number[];
}

/** Splits a text that begins at `start` at quote boundaries. */
export function segmentsOf(text: string, start: number, quotes: readonly (Quote | undefined)[]): Segment[] {
  const end = start + text.length;
  const cuts = new Set([start]);
  for (const quote of quotes) {
    if (quote === undefined || quote.start >= quote.end) continue;
    for (const each of [quote.start, quote.end]) if (each > start && each < end) cuts.add(each);
  }
  const ordered = [...cuts].sort((one, two) => one - two);
  return ordered.map((from, index) => {
    const to = ordered[index + 1] ?? end;
    const holding = quotes.flatMap((quote, at) =>
      quote !== undefined && quote.start < quote.end && quote.start <= from && quote.end >= to ? [at] : [],
    );
    return { start: from, text: text.slice(from - start, to - start), quotes: holding };
  });
}

/** Whether the window contradicts the text of a quote. */
export function contradicts(window: TextWindow, { start, end, text }: Quote): boolean {
  if (text === undefined) return false;
  if (text.length !== end - start) return true;
  const from = Math.max(start, window.start);
  const to = Math.min(end, window.start + window.text.length);
  if (from >= to) return false;
  return window.text.slice(from - window.start, to - window.start) !== text.slice(from - start, to - start);
}

/** The page that contains an offset. */
export const spanAt = (pages: readonly PageSpan[], offset: number): PageSpan | undefined =>
  pages.findLast(({ start }) => start <= offset);
