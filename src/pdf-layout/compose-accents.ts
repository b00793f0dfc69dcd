import type { PlacedText } from './pdf-lines.ts';

/** The combining forms of the accents that TeX prints over a letter as characters of their own. */
const COMBINING: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '\u02cb': '\u0300',
  '\u00b4': '\u0301',
  '\u02c6': '\u0302',
  '\u02dc': '\u0303',
  '\u00af': '\u0304',
  '\u02d8': '\u0306',
  '\u02d9': '\u0307',
  '\u00a8': '\u0308',
  '\u02da': '\u030a',
  '\u02dd': '\u030b',
  '\u02c7': '\u030c',
  '\u00b8': '\u0327',
  '\u02db': '\u0328',
};
const ACCENT = /[`\u02cb\u00b4\u02c6\u02dc\u00af\u02d8\u02d9\u00a8\u02da\u02dd\u02c7\u00b8\u02db]/u;
const ENDS_WITH_ACCENT = new RegExp(`(${ACCENT.source})\\s?$`, 'u');
const BEGINS_WITH_ACCENT = new RegExp(`^(${ACCENT.source}) ?`, 'u');
const DOTLESS: Readonly<Record<string, string>> = { '\u0131': 'i', '\u0237': 'j' };
/** Two letters that are drawn over each other overlap by at least this much, in letter heights. */
const MIN_OVERLAP = 0.15;

/**
 * The text of two runs of a line, when an accent at their border is drawn over the letter beside it; undefined when
 * there is none.
 */
export function joinAtAccent(text: string, before: PlacedText, part: PlacedText): string | undefined {
  const overlap = before.x + before.width - part.x;
  if (overlap < MIN_OVERLAP * Math.max(before.size, part.size)) return undefined;
  const accent = ENDS_WITH_ACCENT.exec(text);
  const next = /^\p{L}/u.exec(part.text)?.[0];
  if (accent !== null && next !== undefined) {
    const letter = compose(next, accent[1] ?? '');
    if (letter !== undefined) return text.slice(0, accent.index) + letter + part.text.slice(next.length);
  }
  const leading = BEGINS_WITH_ACCENT.exec(part.text);
  const last = /\p{L}$/u.exec(text)?.[0];
  if (leading !== null && last !== undefined) {
    const letter = compose(last, leading[1] ?? '');
    if (letter !== undefined) return text.slice(0, -last.length) + letter + part.text.slice(leading[0].length);
  }
  return undefined;
}

/** One character, or undefined when there is no such letter. */
function compose(letter: string, accent: string): string | undefined {
  const composed = `${DOTLESS[letter] ?? letter}${COMBINING[accent] ?? ''}`.normalize('NFC');
  return [...composed].length === 1 ? composed : undefined;
}

/** Leaves out the letter that is drawn inside a circle, which some fonts have as a sign of its own. */
export const withoutCircledLetters = (runs: readonly PlacedText[]): readonly PlacedText[] =>
  runs.filter((run, index) => {
    if (!/^[cCrRpP]$/.test(run.text)) return true;
    return ![runs[index - 1], runs[index + 1]].some(
      (sign) =>
        sign !== undefined &&
        /^[\u00a9\u00ae\u2117\u25cb\u25ef]/u.test(sign.text) &&
        Math.abs(sign.y - run.y) < 0.5 * sign.size &&
        sign.x < run.x &&
        run.x + run.width < sign.x + sign.width,
    );
  });
