import type { PlacedGlyph } from './page-glyphs.ts';

/** For each UTF-16 unit of a text run, the index of the glyph that draws it; undefined for white space. */
export type GlyphLinks = readonly (number | undefined)[];

export interface LinkedGlyphs {
  readonly glyphs: readonly PlacedGlyph[];
  /** One for each text item. */
  readonly links: readonly GlyphLinks[];
}

/** Longest series of glyphs that are in no text run, such as those outside the page. */
const MAX_SKIPPED = 400;

/**
 * Finds the glyphs that draw each text run. Both are in the order of the file, but the letters of a run are in reading
 * order, glyphs in the order in which they are drawn. A run whose glyphs are not found has no links.
 */
export function linkGlyphs(runs: readonly string[], glyphs: readonly PlacedGlyph[]): readonly GlyphLinks[] {
  const letters = glyphs.map(({ text }) => lettersOf(text));
  let next = 0;
  return runs.map((run) => {
    const wanted = [...run].flatMap(lettersOf);
    if (wanted.length === 0) return [];
    const sorted = wanted.toSorted().join('');
    // pdf.js leaves these brackets out of right-to-left runs.
    const leftOut = BRACKET.test(run) ? undefined : BRACKET;
    for (let from = next; from < Math.min(letters.length, next + MAX_SKIPPED); from++) {
      const drawn: { readonly letter: string; readonly glyph: number }[] = [];
      let to = from;
      for (; to < letters.length && drawn.length < wanted.length; to++) {
        for (const letter of letters[to] ?? []) if (!leftOut?.test(letter)) drawn.push({ letter, glyph: to });
      }
      const found = drawn.map(({ letter }) => letter);
      if (found.length !== wanted.length || found.toSorted().join('') !== sorted) continue;
      next = to;
      const order = matchLetters(wanted, found);
      let letter = 0;
      return [...run].flatMap((character) => {
        const glyph = drawn[order[letter] ?? -1]?.glyph;
        const count = lettersOf(character).length;
        letter += count;
        return Array.from({ length: character.length }, () => (count === 0 ? undefined : glyph));
      });
    }
    return [];
  });
}

const BRACKET = /[<>]/;

/** The parts of letters, because programs compose accents and ligatures differently. */
const lettersOf = (text: string): string[] => [...text.normalize('NFKD').replace(/[\s\p{Cf}]/gu, '')];

/**
 * For each letter of a text, the index of the same letter in another order. The longest common passages, forwards or
 * backwards, are matched first: words of right-to-left scripts are stored backwards, words within them forwards.
 */
function matchLetters(wanted: readonly string[], found: readonly string[]): readonly (number | undefined)[] {
  const order: (number | undefined)[] = wanted.map(() => undefined);
  const used = new Set<number>();
  const lengthAt = (start: number, other: number, step: 1 | -1): number => {
    let length = 0;
    while (
      start + length < wanted.length &&
      order[start + length] === undefined &&
      wanted[start + length] === found[other + length * step] &&
      !used.has(other + length * step)
    )
      length++;
    return length;
  };
  for (;;) {
    let best = { start: 0, other: 0, step: 1, length: 0 };
    for (const start of wanted.keys()) {
      for (const other of order[start] === undefined ? found.keys() : []) {
        for (const step of [1, -1] as const) {
          const length = lengthAt(start, other, step);
          if (length > best.length) best = { start, other, step, length };
        }
      }
      if (best.length >= wanted.length - start) break;
    }
    if (best.length === 0) return order;
    for (let index = 0; index < best.length; index++) {
      order[best.start + index] = best.other + index * best.step;
      used.add(best.other + index * best.step);
    }
  }
}
