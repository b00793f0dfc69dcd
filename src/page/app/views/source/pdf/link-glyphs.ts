import type { PlacedGlyph } from './page-glyphs.ts';

/** For each UTF-16 unit of a text run, the index of the glyph that draws it; undefined for white space. */
export type GlyphLinks = readonly (number | undefined)[];

export interface LinkedGlyphs {
  readonly glyphs: readonly PlacedGlyph[];
  /** One function per text item; the links are computed on demand. */
  readonly links: readonly (() => GlyphLinks)[];
}

/** Maximum number of consecutive glyphs that belong to no text run, such as those outside the page. */
const MAX_SKIPPED = 400;
/** For longer runs, and after this many passages, equal letters are matched in any order, which is faster. */
const MAX_REORDERED = 300;
const MAX_PASSAGES = 20;

/**
 * Finds the glyphs that draw each text run. Runs and glyphs are both in file order, but the letters of a run are in
 * reading order, and its glyphs in drawing order. A run whose glyphs are not found has no links.
 */
export function linkGlyphs(runs: readonly string[], glyphs: readonly PlacedGlyph[]): LinkedGlyphs['links'] {
  const letters = glyphs.map(({ text }) => lettersOf(text));
  let next = 0;
  return runs.map((run) => {
    const wanted = [...run].flatMap(lettersOf);
    if (wanted.length === 0) return () => [];
    const sorted = wanted.toSorted().join('');
    // pdf.js leaves these brackets out of right-to-left runs.
    const leftOut = BRACKET.test(run) ? undefined : BRACKET;
    for (let from = next; from < Math.min(letters.length, next + MAX_SKIPPED); from++) {
      const drawn: DrawnLetter[] = [];
      let to = from;
      for (; to < letters.length && drawn.length < wanted.length; to++) {
        for (const letter of letters[to] ?? []) if (!leftOut?.test(letter)) drawn.push({ letter, glyph: to });
      }
      const found = drawn.map(({ letter }) => letter);
      const inOrder = matchInOrder(wanted, found);
      if (inOrder === undefined && found.toSorted().join('') !== sorted) continue;
      next = to;
      return () => linksOf(run, drawn, inOrder ?? matchLetters(wanted, found));
    }
    return () => [];
  });
}

interface DrawnLetter {
  readonly letter: string;
  readonly glyph: number;
}

function linksOf(run: string, drawn: readonly DrawnLetter[], order: Order): GlyphLinks {
  let letter = 0;
  return [...run].flatMap((character) => {
    const glyph = drawn[order[letter] ?? -1]?.glyph;
    const count = lettersOf(character).length;
    letter += count;
    return Array.from({ length: character.length }, () => (count === 0 ? undefined : glyph));
  });
}

const BRACKET = /[<>]/;

/** Decomposes characters (NFKD), because programs compose accents and ligatures differently. */
const lettersOf = (text: string): string[] => [...text.normalize('NFKD').replace(/[\s\p{Cf}]/gu, '')];

type Order = readonly (number | undefined)[];

/** The order if all letters are drawn forwards or all backwards; undefined otherwise. */
function matchInOrder(wanted: readonly string[], found: readonly string[]): Order | undefined {
  if (wanted.length !== found.length) return undefined;
  const forwards = [...wanted.keys()];
  return [forwards, forwards.toReversed()].find((order) => order.every((other, at) => found[other] === wanted[at]));
}

/**
 * For each letter of a text, the index of the same letter in another order. The longest common passages, forwards or
 * backwards, are matched first: words of right-to-left scripts are stored backwards, words within them forwards.
 */
function matchLetters(wanted: readonly string[], found: readonly string[]): Order {
  const order: (number | undefined)[] = wanted.map(() => undefined);
  const unused = new Set(found.keys());
  for (let passage = 0; passage < MAX_PASSAGES && wanted.length <= MAX_REORDERED; passage++) {
    let best = { end: 0, other: 0, step: 1, length: 0 };
    for (const step of [1, -1]) {
      // For each letter of `found`, the length of the passage that ends with it and the current letter of `wanted`.
      let lengths: readonly number[] = [];
      for (const [end, letter] of wanted.entries()) {
        const before = lengths;
        lengths = found.map((each, other) =>
          each === letter && order[end] === undefined && unused.has(other) ? (before[other - step] ?? 0) + 1 : 0,
        );
        for (const [other, length] of lengths.entries()) if (length > best.length) best = { end, other, step, length };
      }
    }
    if (best.length === 0) break;
    for (let back = 0; back < best.length; back++) {
      order[best.end - back] = best.other - back * best.step;
      unused.delete(best.other - back * best.step);
    }
  }
  const rest = Map.groupBy(unused, (other) => found[other]);
  return order.map((other, at) => other ?? rest.get(wanted[at])?.pop());
}
