import type { Span } from '../citations/citation.ts';
import { graphemeCut } from './cut-long.ts';

export interface RecursiveOptions {
  readonly chunkSize: number;
  readonly chunkOverlap: number;
}

/** Paragraph, line, word; after the last one, text is cut between any two characters. */
const SEPARATORS = ['\n\n', '\n', ' '] as const;

/**
 * Splits like R2R's recursive splitter (docs/contract.md 6.2), so that explicit sizes give the chunks its clients
 * expect: separators stay with the following piece, pieces below the size are joined up to it, spans are trimmed.
 */
export function splitRecursively(text: string, options: RecursiveOptions): Span[] {
  const spans: Span[] = [];
  const split = (stretch: Span, level: number): void => {
    const part = text.slice(stretch.start, stretch.end);
    const found = SEPARATORS.findIndex((separator, index) => index >= level && part.includes(separator));
    const separator = SEPARATORS[found];
    if (separator === undefined) {
      for (const piece of windows(text, stretch, options)) addTrimmed(spans, text, piece);
      return;
    }
    let small: Span[] = [];
    for (const piece of piecesOf(part, stretch.start, separator)) {
      if (piece.end - piece.start < options.chunkSize) small.push(piece);
      else {
        joinPieces(spans, text, small, options);
        small = [];
        split(piece, found + 1);
      }
    }
    joinPieces(spans, text, small, options);
  };
  split({ start: 0, end: text.length }, 0);
  return spans;
}

/** Splits like R2R's character splitter: paragraphs joined up to the size; a longer one stays whole. */
export function splitAtParagraphs(text: string, options: RecursiveOptions): Span[] {
  const spans: Span[] = [];
  joinPieces(spans, text, piecesOf(text, 0, SEPARATORS[0]), options);
  return spans;
}

function piecesOf(part: string, offset: number, separator: string): Span[] {
  const pieces: Span[] = [];
  let start = 0;
  for (let at = part.indexOf(separator); at !== -1; at = part.indexOf(separator, at + separator.length)) {
    if (at > start) pieces.push({ start: offset + start, end: offset + at });
    start = at;
  }
  pieces.push({ start: offset + start, end: offset + part.length });
  return pieces;
}

/**
 * Joins adjacent pieces up to the size; each chunk begins with the last pieces of the previous one, up to the overlap.
 */
function joinPieces(
  spans: Span[],
  text: string,
  pieces: readonly Span[],
  { chunkSize, chunkOverlap }: RecursiveOptions,
): void {
  let first = 0;
  let total = 0;
  const lengthOf = (index: number): number => {
    const piece = pieces[index];
    return piece === undefined ? 0 : piece.end - piece.start;
  };
  const add = (end: number) => {
    const from = pieces[first];
    const to = pieces[end - 1];
    if (from !== undefined && to !== undefined && end > first)
      addTrimmed(spans, text, { start: from.start, end: to.end });
  };
  for (let index = 0; index < pieces.length; index++) {
    const length = lengthOf(index);
    if (total + length > chunkSize) {
      add(index);
      while (total > chunkOverlap || (total + length > chunkSize && total > 0)) total -= lengthOf(first++);
    }
    total += length;
  }
  add(pieces.length);
}

function* windows(text: string, { start, end }: Span, { chunkSize, chunkOverlap }: RecursiveOptions): Generator<Span> {
  let from = start;
  while (end - from > chunkSize) {
    const to = from + graphemeCut(text.slice(from, from + chunkSize + 40), chunkSize);
    yield { start: from, end: to };
    const back = to - Math.min(chunkOverlap, to - from - 1);
    from = back < to && isLowSurrogate(text, back) ? back + 1 : back;
  }
  if (from < end) yield { start: from, end };
}

const isLowSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

function addTrimmed(spans: Span[], text: string, span: Span): void {
  const trimmed = trimSpan(text, span);
  if (trimmed !== undefined) spans.push(trimmed);
}

/** The span without surrounding white space; undefined when nothing is left. */
export function trimSpan(text: string, span: Span): Span | undefined {
  let { start, end } = span;
  while (start < end && /\s/.test(text.charAt(start))) start++;
  while (end > start && /\s/.test(text.charAt(end - 1))) end--;
  return start < end ? { start, end } : undefined;
}
