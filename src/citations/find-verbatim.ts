import type { Span } from './citation.ts';

/**
 * Span of `wanted` in `text`, ignoring letter case, variants of quotation marks and dashes, and the amount of white
 * space. Offsets refer to the original text.
 */
export const findVerbatim = (text: string, wanted: string): Span | undefined => verbatimFinder(text)(wanted);

/** Like `findVerbatim` for several searches in one text, which is normalized once. */
export function verbatimFinder(text: string): (wanted: string) => Span | undefined {
  let haystack: ReturnType<typeof normalize> | undefined;
  return (wanted) => {
    const needle = normalizeWanted(wanted);
    if (needle === '') return undefined;
    haystack ??= normalize(text);
    const at = haystack.text.indexOf(needle);
    if (at === -1) return undefined;
    const start = haystack.origin[at];
    const last = haystack.origin[at + needle.length - 1];
    return start === undefined || last === undefined ? undefined : { start, end: last + 1 };
  };
}

let latest = { wanted: '', needle: '' };

/** The same words are looked for in one text after another. */
function normalizeWanted(wanted: string): string {
  if (latest.wanted !== wanted) latest = { wanted, needle: normalize(wanted).text.trim() };
  return latest.needle;
}

/** Whether a span neither begins nor ends inside a word or a number: "12" is not in "120", nor in "12.50". */
export function isWholeWords(text: string, { start, end }: Span): boolean {
  const [before, first, last, after] = [
    text.slice(start - 1, start),
    text.charAt(start),
    text.charAt(end - 1),
    text.slice(end),
  ];
  if (JOINED.test(before + first) || (/\d[.,]$/.test(text.slice(Math.max(0, start - 2), start)) && /\d/.test(first)))
    return false;
  return !JOINED.test(last + after.charAt(0)) && !(/\d/.test(last) && /^[.,]\d/.test(after.slice(0, 2)));
}

/** Two characters of one word, in scripts with spaces between words. */
const JOINED =
  /^(?!.?[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}])[\p{L}\p{N}]{2}$/u;

/** Normalized text; `origin[i]` is the offset in `text` of its i-th code unit. */
function normalize(text: string): { readonly text: string; readonly origin: readonly number[] } {
  const units: string[] = [];
  const origin: number[] = [];
  for (let index = 0; index < text.length; index++) {
    if (text.charAt(index) === INVISIBLE_PLANE) {
      index++;
      continue;
    }
    const unit = normalUnitAt(text, index);
    if (unit === '' || (unit === ' ' && units.at(-1) === ' ')) continue;
    units.push(unit);
    origin.push(index);
  }
  return { text: units.join(''), origin };
}

// First surrogate of tag characters and supplementary variation selectors. Models are shown texts without invisible
// characters, so their quotes lack them too.
const INVISIBLE_PLANE = '\udb40';

/** By their codes; filled as they occur. */
const normalUnits = new Array<string | undefined>(2 ** 16);

function normalUnitAt(text: string, index: number): string {
  const code = text.charCodeAt(index);
  const known = normalUnits[code];
  if (known !== undefined) return known;
  const unit = normalizeUnit(text.charAt(index));
  normalUnits[code] = unit;
  return unit;
}

function normalizeUnit(unit: string): string {
  if (/\s/.test(unit)) return ' ';
  if (/[‘’‚‛`´]/.test(unit)) return "'";
  if (/[“”„«»]/.test(unit)) return '"';
  if (/[‐‑‒–—−]/.test(unit)) return '-';
  if (/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/.test(unit)) return '';
  const lower = unit.toLowerCase();
  return lower.length === 1 ? lower : unit;
}

const QUOTED = /“([^“”]+)”|"([^"]+)"|«([^«»]+)»|„([^„“”]+)[“”]|「([^「」]+)」|『([^『』]+)』|‘([^‘’]+)’/g;

// Quotations of a word or two ("the so-called 'cloud'") do not identify a source.
const MIN_QUOTED_LENGTH = 12;
const MIN_QUOTED_LENGTH_UNSPACED = 5;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** A statement without the full stops or other marks at its end, which its source may not have. */
export const withoutFinalMarks = (statement: string): string => statement.replace(/(?<![.!?。！？])[.!?。！？]+$/, '');

/** Quoted passages in a statement, longest first, split at ellipses. */
export function quotedIn(statement: string): string[] {
  return [...statement.matchAll(QUOTED)]
    .flatMap((match) => (match.slice(1).find((group) => group !== undefined) ?? '').split(/…|\.{3}|\[\.{3}\]/))
    .map((quoted) => quoted.trim().replace(/[.,;:]$/, ''))
    .filter((quoted) => quoted.length >= (UNSPACED.test(quoted) ? MIN_QUOTED_LENGTH_UNSPACED : MIN_QUOTED_LENGTH))
    .toSorted((a, b) => b.length - a.length);
}
