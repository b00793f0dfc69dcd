import type { MarkerSpan } from '../../../../client/stream-events.ts';

/**
 * Markdown rendering moves text, so offsets into the source are lost. Markers and sentence boundaries are therefore
 * written into the source as private-use characters, which Markdown leaves unchanged. They are enclosed in brackets,
 * which count as punctuation like those of the original markers, so that emphasis is recognised as before.
 */
const OPEN = '⟦\uE000';
const CLOSE = '\uE001⟧';
const RESERVED = /[\uE000\uE001]/g;
const SIGN = /⟦\uE000([mse])(\d+)\uE001⟧/g;

/** A piece of rendered text: plain text, or an inserted sign. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark' | 'start' | 'end'; readonly index: number };

export interface MarkedSource {
  readonly source: string;
  /** The original text of each marker, for places where markup is literal. */
  readonly written: readonly string[];
}

interface Insertion extends MarkerSpan {
  readonly sign: string;
}

/** Inserts signs at markers and around sentences. Ranges outside the text or inside others are ignored. */
export function insertMarkers(
  text: string,
  marks: readonly MarkerSpan[],
  sentences: readonly MarkerSpan[] = [],
): MarkedSource {
  const insertions: Insertion[] = [];
  let last = 0;
  const ordered = marks.map((mark, index) => ({ ...mark, index })).toSorted((one, two) => one.start - two.start);
  for (const mark of ordered) {
    if (mark.start < last || mark.end <= mark.start || mark.end > text.length) continue;
    insertions.push({ start: mark.start, end: mark.end, sign: signOf('m', mark.index) });
    last = mark.end;
  }
  const markers = [...insertions];
  for (const [index, sentence] of sentences.entries()) {
    const start = afterStop(text, afterBlockSigns(text, sentence.start));
    const end = withinRow(text, start, sentence.end);
    if (start >= end || end > text.length) continue;
    const outside = (at: number) => markers.find((mark) => mark.start < at && at < mark.end)?.end ?? at;
    const [from, to] = [outside(start), outside(end)];
    insertions.push(
      { start: from, end: from, sign: signOf('s', index) },
      { start: to, end: to, sign: signOf('e', index) },
    );
  }
  // At the same offset, ends come before starts.
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

/** Splits rendered text at the inserted signs. */
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

/** Whether the text contains the sign of a marker. */
export const hasMark = (text: string): boolean => text.includes(`${OPEN}m`);

/** Restores the original text where a sign cannot be shown: in code and URLs. */
export const withoutSigns = (text: string, written: readonly string[]): string =>
  text.replaceAll(SIGN, (_, letter: string, digits: string) => (letter === 'm' ? (written[Number(digits)] ?? '') : ''));

const signOf = (letter: 'm' | 's' | 'e', index: number): string => `${OPEN}${letter}${index}${CLOSE}`;

// Replaced by one character each, so that offsets stay valid.
const clean = (text: string): string => text.replaceAll(RESERVED, '\uFFFD');

/** A sign before "- " or "# " would turn a list or heading into a paragraph, so it is inserted after it. */
function afterBlockSigns(text: string, start: number): number {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  if (!/^[\s>]*$/.test(text.slice(line, start))) return start;
  const [signs] = /^(?:\s*(?:[-*+>|]|\d{1,9}[.)]|#{1,6})(?=\s))*\s*\|?\s*/.exec(text.slice(start)) ?? [''];
  return start + signs.length;
}

/** The full stop of the sentence before stands behind its marker, and with it after the offset where this one begins. */
const afterStop = (text: string, start: number): number =>
  start + (/^[.,;:!?]+\s*/.exec(text.slice(start))?.[0].length ?? 0);

/** A sign after the last "|" of a table's row would be a cell of its own, so it is inserted before it. */
function withinRow(text: string, start: number, end: number): number {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  if (!/^[\s>]*\|/.test(text.slice(line, end))) return end;
  const [row = ''] = text.slice(start, end).split('\n', 1);
  return start + row.replace(/[\s|]+$/, '').length;
}
