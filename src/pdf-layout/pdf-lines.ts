import { oneLine } from '../shared/text.ts';
import { joinAtAccent, withoutCircledLetters } from './compose-accents.ts';

/** A positioned run of text; origin at the lower left, sizes in points. */
export interface PlacedText {
  /** Position among the text items of the page. */
  readonly index: number;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly isRotated: boolean;
  readonly isBold: boolean;
  /** True if all letters of its font have the same width, as in programs. */
  readonly isMono: boolean;
}

/** Text on one baseline without a wide gap: a line of a column, or a table cell. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly isRotated: boolean;
  /** True if all its letters are bold. */
  readonly isBold: boolean;
  /** True if all its letters are of one width. */
  readonly isMono: boolean;
  /** The runs it consists of, in reading order. */
  readonly runs: readonly PlacedText[];
}

/** A wider gap, in letter heights, separates columns and cells. */
const COLUMN_GAP = 1.5;
/** A narrower gap, in letter heights, is not a space between words. */
const WORD_GAP = 0.15;

/** Joins consecutive runs on a baseline. */
export function joinLines(runs: readonly PlacedText[]): Line[] {
  const lines: Line[] = [];
  let parts: PlacedText[] = [];
  const close = () => {
    const line = lineOf(parts);
    if (line !== undefined) lines.push(line);
    parts = [];
  };
  for (const run of withoutCircledLetters(runs)) {
    // The parser writes a space for any gap, however wide; the positions are more precise.
    if (run.text.trim() === '') continue;
    const last = parts.at(-1);
    if (last !== undefined && !continuesLine(last, run)) close();
    parts.push(run);
  }
  close();
  return lines;
}

function continuesLine(last: PlacedText, next: PlacedText): boolean {
  if (last.isRotated !== next.isRotated) return false;
  if (next.isRotated) return Math.abs(last.x - next.x) < 0.5 * last.size;
  const size = Math.max(last.size, next.size);
  // Superscripts and subscripts share a line with the adjacent letters.
  if (Math.abs(last.y - next.y) > 0.55 * size) return false;
  const gap = next.x - (last.x + last.width);
  const backwards = last.x - (next.x + next.width);
  if (gap < COLUMN_GAP * size && gap > -0.6 * size) return true;
  const isBackwards = isRightToLeft(last.text) || isRightToLeft(next.text);
  return isBackwards && backwards < COLUMN_GAP * size && backwards > -0.6 * size;
}

/**
 * Puts a line of Arabic or Hebrew into reading order, with embedded words of other scripts. Some programs write the
 * runs in reading order, others from left to right.
 */
function inReadingOrder(parts: readonly PlacedText[]): readonly PlacedText[] {
  const letters = parts.reduce((sum, { text }) => sum + text.length, 0);
  const backwards = parts.reduce((sum, { text }) => sum + (isRightToLeft(text) ? text.length : 0), 0);
  if (parts.length < 2 || backwards < letters / 2 || parts.some(({ isRotated }) => isRotated)) return parts;
  const ordered: PlacedText[] = [];
  let forwards: PlacedText[] = [];
  for (const part of parts.toSorted((a, b) => b.x - a.x)) {
    if (/\p{Script=Latin}|\d/u.test(part.text) && !isRightToLeft(part.text)) {
      forwards.unshift(part);
      continue;
    }
    ordered.push(...forwards, part);
    forwards = [];
  }
  return [...ordered, ...forwards];
}

/** A line of these runs; undefined when there are none. */
export function lineOf(given: readonly PlacedText[]): Line | undefined {
  const parts = inReadingOrder(given);
  const main = parts.reduce<PlacedText | undefined>(
    (best, part) => (best === undefined || part.text.length > best.text.length ? part : best),
    undefined,
  );
  if (main === undefined) return undefined;
  let text = '';
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1];
    const joined = before === undefined ? undefined : joinAtAccent(text, before, part);
    if (joined !== undefined) {
      text = joined;
      continue;
    }
    if (before !== undefined && needsSpace(before, part, text)) text += ' ';
    text += part.text;
  }
  return {
    text: fixArabic(oneLine(text)),
    x: Math.min(...parts.map(({ x }) => x)),
    right: Math.max(...parts.map(({ x, width }) => x + width)),
    y: main.y,
    size: main.size,
    isRotated: main.isRotated,
    isBold: main.isBold && parts.every((part) => part.isBold || !/\p{L}/u.test(part.text)),
    // Signs such as arrows are often of another font.
    isMono: (parts[0]?.isMono ?? false) && parts.every((part) => part.isMono || !/[\p{L}\p{N}]/u.test(part.text)),
    runs: parts,
  };
}

function needsSpace(before: PlacedText, part: PlacedText, text: string): boolean {
  if (/\s$/.test(text) || /^\s/.test(part.text) || before.isRotated) return false;
  if (isScriptChange(text, part.text)) return true;
  const gap = Math.max(part.x - (before.x + before.width), before.x - (part.x + part.width));
  return gap > WORD_GAP * Math.max(part.size, before.size);
}

/** In lines of mixed direction a space is often on the wrong side of its word. */
const isScriptChange = (before: string, after: string): boolean =>
  (/\p{Script=Latin}$/u.test(before) && isRightToLeft(after.slice(0, 1))) ||
  (/^\p{Script=Latin}/u.test(after) && isRightToLeft(before.slice(-1)));

/**
 * Lam-alef is one ligature, whose letters are swapped when the line is reversed. This is detected by two consecutive
 * alefs, which occur in no word; a full stop belongs to the word before it.
 */
const fixArabic = (text: string): string =>
  isRightToLeft(text)
    ? text.replace(/\u0627([\u0622\u0623\u0625])\u0644/g, '\u0627\u0644$1').replace(/ +([.،؛؟!:])/g, '$1')
    : text;

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);
