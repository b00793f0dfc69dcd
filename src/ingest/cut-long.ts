import type { Span } from '../citations/citation.ts';

/** Made at the first use, which few texts need: the first segmenter of a process takes 20 to 40 ms. */
const segmenters = new Map<'grapheme' | 'word', Intl.Segmenter>();
function segmentsOf(text: string, granularity: 'grapheme' | 'word'): Intl.Segments {
  const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
  segmenters.set(granularity, segmenter);
  return segmenter.segment(text);
}

/** Text around a cut that the segmenters look at; they slow down on long input. */
const WINDOW = 200;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Cuts a span into spans of at most `maximum` characters, at spaces; inside a word only when the word alone is longer.
 */
export function* cutAtWords(text: string, stretch: Span, maximum: number): Generator<Span> {
  let { start } = stretch;
  while (stretch.end - start > maximum) {
    const cut = start + wordCut(text.slice(start, start + maximum + 1), maximum);
    yield { start, end: cut };
    start = cut;
  }
  if (start < stretch.end) yield { start, end: stretch.end };
}

/** Where to cut `piece` so that at most `maximum` characters come before; always past its first character. */
function wordCut(piece: string, maximum: number): number {
  const blank = lastBlank(piece, maximum);
  if (blank > 0) return blank;
  const tail = piece.slice(Math.max(0, maximum - WINDOW), maximum);
  if (UNSPACED.test(tail)) {
    const last = [...segmentsOf(tail, 'word')].at(-1);
    if (last !== undefined && last.index > 0) return maximum - tail.length + last.index;
  }
  return graphemeCut(piece, maximum);
}

function lastBlank(piece: string, maximum: number): number {
  for (let index = maximum; index > 0; index--) {
    if (/\s/.test(piece.charAt(index)) && /\S/.test(piece.charAt(index - 1))) return index;
  }
  return 0;
}

/** The last grapheme boundary at or before `maximum`; at least one code point. */
export function graphemeCut(piece: string, maximum: number): number {
  if (isPlain(piece.charCodeAt(maximum - 1)) && isPlain(piece.charCodeAt(maximum))) return maximum;
  const from = Math.max(0, maximum - WINDOW);
  let cut = 0;
  for (const { index, segment } of segmentsOf(piece.slice(from, maximum + 40), 'grapheme')) {
    const end = from + index + segment.length;
    if (end > maximum) {
      // A boundary at the start of the window is not reliable, because the grapheme may begin before it.
      cut = index === 0 && from > 0 ? 0 : from + index;
      break;
    }
    cut = end;
  }
  if (cut > 0) return Math.min(cut, piece.length);
  const isInPair = /[\ud800-\udbff]/.test(piece.charAt(maximum - 1));
  return isInPair ? Math.max(2, maximum - 1) : maximum;
}

/** Latin letters, signs and spaces, no two of which form one grapheme. NaN (past the end) is not plain. */
const isPlain = (unit: number): boolean => unit < 0x300 && unit !== 0x0d && unit !== 0xa9 && unit !== 0xae;
