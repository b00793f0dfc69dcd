import { continuesSentence } from './abbreviations.ts';
import { paragraphsOf, type TextSpan } from './paragraphs.ts';

/** Maximum length of a piece; a longer sentence is cut at the best position before it. */
export const MAX_SENTENCE_LENGTH = 800;

// Thai, Lao, Khmer and Burmese have no full stops; a space ends a clause. Shorter pieces are joined to the next.
const MIN_CLAUSE_LENGTH = 60;
const WITHOUT_FULL_STOPS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Splits text into sentences; list items, headings, table rows and lines of code are separate pieces. Pieces are
 * ordered, do not overlap, are trimmed, at most MAX_SENTENCE_LENGTH long, and only white space lies between them. Takes
 * time linear in the text.
 */
export function splitSentences(text: string): TextSpan[] {
  const sentences: TextSpan[] = [];
  const add = (start: number, end: number) => {
    const piece = trimmed(text, start, end);
    if (piece !== undefined) sentences.push(...cutToLength(text, piece));
  };
  for (const { kind, start, end } of paragraphsOf(text)) {
    if (kind === 'line') add(start, end);
    else
      for (const sentence of sentencesOfProse(text.slice(start, end)))
        add(start + sentence.start, start + sentence.end);
  }
  return sentences;
}

const INLINE_CODE = /`[^`]{1,200}`/g;
const ENDS_SENTENCES = /[\p{Sentence_Terminal}\u2024\u0085]/u;
// Created on first use: a segmenter takes 1 MB and 6 ms, and this module is also loaded just to list the tools.
const segmenters = new Map<'sentence' | 'word', Intl.Segmenter>();
function segmentsOf(text: string, granularity: 'sentence' | 'word'): Intl.Segments {
  const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
  segmenters.set(granularity, segmenter);
  return segmenter.segment(text);
}

function* sentencesOfProse(paragraph: string): Generator<TextSpan> {
  // The segmenter ends a sentence at every line break, which in prose is only a soft wrap. Punctuation within code is
  // masked, because it does not end a sentence.
  const line = paragraph
    .replace(/[\r\n\u2028\u2029]/g, ' ')
    .replace(INLINE_CODE, (code) => `\`${'x'.repeat(code.length - 2)}\``);
  if (WITHOUT_FULL_STOPS.test(line)) return yield* clausesOf(line);
  // The segmenter dominates the cost, and rarely finds anything in short list lines.
  if (!ENDS_SENTENCES.test(line)) return yield { start: 0, end: line.length };
  let start = 0;
  for (const end of bordersOf(line)) {
    if (end < line.length && continuesSentence(line.slice(Math.max(start, end - 40), end), line.slice(end, end + 48)))
      continue;
    yield { start, end };
    start = end;
  }
  if (start < line.length) yield { start, end: line.length };
}

/**
 * Sentence ends from the segmenter, corrected where an opening bracket follows the full stop without a space: a note
 * mark ("in 1950.[12] The") belongs to the sentence before it, everything else to the one after.
 */
function* bordersOf(line: string): Generator<number> {
  let last = 0;
  for (const { index, segment } of segmentsOf(line, 'sentence')) {
    const end = index + segment.length;
    if (end <= last) continue;
    last = end;
    if (OPENING.test(segment.slice(-1))) {
      NOTE_MARKS.lastIndex = end - 1;
      last = NOTE_MARKS.test(line) ? NOTE_MARKS.lastIndex : end - 1;
    }
    if (last > index) yield last;
  }
}

const OPENING = /[[(（【「『《〈“‘]/;
const NOTE_MARKS = /(?:\[[^[\]]{1,12}\])+\s*/y;

function* clausesOf(line: string): Generator<TextSpan> {
  let start = 0;
  for (const space of line.matchAll(/[\s។။]+/g)) {
    const end = space.index + space[0].length;
    if (end - start < MIN_CLAUSE_LENGTH) continue;
    yield { start, end };
    start = end;
  }
  if (start < line.length) yield { start, end: line.length };
}

function* cutToLength(text: string, piece: TextSpan): Generator<TextSpan> {
  let { start } = piece;
  while (piece.end - start > MAX_SENTENCE_LENGTH) {
    const cut = start + bestCut(text.slice(start, start + MAX_SENTENCE_LENGTH));
    const part = trimmed(text, start, cut);
    if (part !== undefined) yield part;
    start = cut;
  }
  const rest = trimmed(text, start, piece.end);
  if (rest !== undefined) yield rest;
}

/** Where to cut an over-long range: preferably after a clause or a word, at worst at any character boundary. */
function bestCut(range: string): number {
  const from = Math.floor(range.length / 2);
  const late = range.slice(from);
  const clause = lastEnd(late, /[;:,)\]}；：，、）。][\s"”’]*(?=\S)/gu) ?? lastEnd(late, /\s+/g);
  if (clause !== undefined) return from + clause;
  const tail = range.slice(-100);
  const words = [...segmentsOf(tail, 'word')];
  const last = words.at(-1);
  if (last !== undefined && last.index > 0) return range.length - tail.length + last.index;
  return /[\uD800-\uDBFF]$/.test(range) ? range.length - 1 : range.length;
}

function lastEnd(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

function trimmed(text: string, from: number, to: number): TextSpan | undefined {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return start < end ? { start, end } : undefined;
}

const isSpace = (code: number): boolean =>
  code === 0x20 ||
  (code >= 0x09 && code <= 0x0d) ||
  code === 0xa0 ||
  code === 0x3000 ||
  code === 0xfeff ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x1680;
