// Everything that opens a bracket like a tag's, and everything that leans like a slash.
const ANGLE = /[<＜﹤‹«〈《⟨⟪〈˂ᐸ≺≪⋖≮❬❮❰⧼⦑⪡⪦]/u;
const SLASH = /[/\\／＼∕⁄╱⧸⟋〳﹨]/u;
// Not compared: what is not seen, or adds to the letter before it.
const IGNORED = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\s]/u;
const FOREIGN = /[\p{L}\p{N}]/u;
const ASCII_WORD = /[a-z0-9]/;
/** Stands for a letter or number of any other kind, which could look like any letter. */
const ANY = '?';

const letter = (plain: string): string => {
  const own = `[${plain}${ANY}0-9]`;
  if (plain === 'm') return `(?:${own}|rn|nn)`;
  return plain === 'd' ? `(?:${own}|cl)` : own;
};
const word = (plain: string): string => [...plain].map(letter).join('');

const EDGE = new RegExp(
  `(<|&(?:lt|#0*60|#x0*3c);?)/*(?:${word('document')}|${word('untrusted')})[^a-z<>&]{0,3}${word('text')}`,
  'g',
);

/**
 * The text with everything defaced that could be taken for the edge of a fence: other brackets, slashes and hyphens,
 * other letters that look alike, characters in between that are not seen.
 */
export function defaceEdges(text: string): string {
  if (!ANGLE.test(text) && !text.includes('&')) return text;
  const { skeleton, offsets } = skeletonOf(text);
  let defaced = '';
  let done = 0;
  for (const { index, 1: opening = '' } of skeleton.matchAll(EDGE)) {
    defaced += `${text.slice(done, offsets[index])}‹quoted `;
    done = offsets[index + opening.length] ?? text.length;
  }
  return defaced + text.slice(done);
}

interface Skeleton {
  readonly skeleton: string;
  /** Where each character of the skeleton comes from. */
  readonly offsets: readonly number[];
}

/** What an eye compares: lower-case letters and signs, one form of each. */
function skeletonOf(text: string): Skeleton {
  let skeleton = '';
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    for (const part of partsOf(character)) {
      skeleton += part;
      offsets.push(offset);
    }
    offset += character.length;
  }
  return { skeleton, offsets };
}

function partsOf(character: string): readonly string[] {
  // Before its form is taken apart, after which some of them are plain signs of another meaning.
  if (ANGLE.test(character)) return ['<'];
  const forms = character > '\x7f' ? [...character.normalize('NFKD').toLowerCase()] : [character.toLowerCase()];
  return forms.flatMap((form) => {
    if (IGNORED.test(form)) return [];
    if (SLASH.test(form)) return ['/'];
    if (ASCII_WORD.test(form)) return [form];
    // One unit each, so that places in the skeleton and in the list of offsets are the same.
    return [FOREIGN.test(form) ? ANY : form.length === 1 ? form : '*'];
  });
}
