import type { MarkerSpan } from '../../../../client/stream-events.ts';

/**
 * Markdown moves text about, so offsets into the source are lost by the time it is rendered. The places of markers and
 * of sentences are therefore written into the source as signs that Markdown leaves alone. They begin and end with
 * brackets, which count as punctuation as those of the markers did: what is emphasis stays emphasis.
 */
const OPEN = '⟦\uE000';
const CLOSE = '\uE001⟧';
const RESERVED = /[\uE000\uE001]/g;
const SIGN = /⟦\uE000([mse])(\d+)\uE001⟧/g;

/** A piece of text after rendering: text, or one of the signs that were placed. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark' | 'start' | 'end'; readonly index: number };

export interface MarkedSource {
  readonly source: string;
  /** The text of each marker, for where Markdown shows characters as they are. */
  readonly written: readonly string[];
}

interface Insertion extends MarkerSpan {
  readonly sign: string;
}

/** Writes signs at the markers' places and around the sentences. Spans outside the text or within others are left out. */
export function insertMarkers(
  text: string,
  marks: readonly MarkerSpan[],
  sentences: readonly MarkerSpan[] = [],
): MarkedSource {
  const insertions: Insertion[] = [];
  let end = 0;
  const ordered = marks.map((mark, index) => ({ ...mark, index })).toSorted((one, two) => one.start - two.start);
  for (const mark of ordered) {
    if (mark.start < end || mark.end <= mark.start || mark.end > text.length) continue;
    insertions.push({ start: mark.start, end: mark.end, sign: signOf('m', mark.index) });
    end = mark.end;
  }
  const markers = [...insertions];
  for (const [index, sentence] of sentences.entries()) {
    const start = afterBlockSigns(text, sentence.start);
    if (start >= sentence.end || sentence.end > text.length) continue;
    const outside = (at: number) => markers.find((mark) => mark.start < at && at < mark.end)?.end ?? at;
    const [from, to] = [outside(start), outside(sentence.end)];
    insertions.push(
      { start: from, end: from, sign: signOf('s', index) },
      { start: to, end: to, sign: signOf('e', index) },
    );
  }
  // An end stands before what begins at the same place.
  const order = (one: Insertion, two: Insertion) =>
    one.start - two.start || one.end - two.end || Number(two.sign[2] === 'e') - Number(one.sign[2] === 'e');
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end: until, sign } of insertions.toSorted(order)) {
    pieces.push(clean(text.slice(from, start)), sign);
    from = until;
  }
  pieces.push(clean(text.slice(from)));
  return { source: pieces.join(''), written: marks.map((mark) => text.slice(mark.start, mark.end)) };
}

/** Finds the signs again in a piece of rendered text. */
export function splitAtSigns(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(SIGN)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) });
    const [sign, letter, digits] = match;
    const kind = letter === 'm' ? 'mark' : letter === 's' ? 'start' : 'end';
    pieces.push({ kind, index: Number(digits) });
    from = match.index + sign.length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

/** The text as it was written, where a sign cannot be shown: in code and addresses. */
export const withoutSigns = (text: string, written: readonly string[]): string =>
  text.replaceAll(SIGN, (_, letter: string, digits: string) => (letter === 'm' ? (written[Number(digits)] ?? '') : ''));

const signOf = (letter: 'm' | 's' | 'e', index: number): string => `${OPEN}${letter}${index}${CLOSE}`;

// The same length, so that offsets stay right.
const clean = (text: string): string => text.replaceAll(RESERVED, '\uFFFD');

/** A sign before "- " or "# " would make a paragraph of a list or a heading, so it goes behind. */
function afterBlockSigns(text: string, start: number): number {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  if (!/^[\s>]*$/.test(text.slice(line, start))) return start;
  const [signs] = /^(?:\s*(?:[-*+>|]|\d{1,9}[.)]|#{1,6})(?=\s))*\s*\|?\s*/.exec(text.slice(start)) ?? [''];
  return start + signs.length;
}
