// Characters that look like an opening angle bracket or a slash.
const ANGLE = /[<＜﹤‹«〈《⟨⟪〈˂ᐸ≺≪⋖≮❬❮❰⧼⦑⪡⪦]/u;
const SLASH = /[/\\／＼∕⁄╱⧸⟋〳﹨]/u;
// Invisible characters and combining marks are ignored.
const IGNORED = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\s]/u;
const NON_ASCII_LETTER = /[\p{L}\p{N}]/u;
const ASCII_WORD = /[a-z0-9]/;
/** Stands for any letter or digit outside ASCII, because it may look like an ASCII letter. */
const ANY_LETTER = '?';

const letter = (plain: string): string => {
  const own = `[${plain}${ANY_LETTER}0-9]`;
  if (plain === 'm') return `(?:${own}|rn|nn)`;
  return plain === 'd' ? `(?:${own}|cl)` : own;
};
const word = (plain: string): string => [...plain].map(letter).join('');

const FENCE_TAG = new RegExp(
  `(<|&(?:lt|#0*60|#x0*3c);?)/*(?:${word('document')}|${word('untrusted')})[^a-z<>&]{0,3}${word('text')}`,
  'g',
);

/**
 * Replaces everything that could be read as the start or end tag of a fence, including homoglyphs of brackets, slashes
 * and letters, and tags with invisible characters in between.
 */
export function neutralizeFenceTags(text: string): string {
  if (!ANGLE.test(text) && !text.includes('&')) return text;
  const { skeleton, offsets } = skeletonOf(text);
  let defaced = '';
  let done = 0;
  for (const { index, 1: opening = '' } of skeleton.matchAll(FENCE_TAG)) {
    defaced += `${text.slice(done, offsets[index])}‹quoted `;
    done = offsets[index + opening.length] ?? text.length;
  }
  return defaced + text.slice(done);
}

interface Skeleton {
  readonly skeleton: string;
  /** Offset in the original text of each character of the skeleton. */
  readonly offsets: readonly number[];
}

/** Confusable skeleton (cf. UTS #39): lower-case letters and signs in one form each. */
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
  // Checked before normalization, which maps some of these to other plain characters.
  if (ANGLE.test(character)) return ['<'];
  const forms = character > '\x7f' ? [...character.normalize('NFKD').toLowerCase()] : [character.toLowerCase()];
  return forms.flatMap((form) => {
    if (IGNORED.test(form)) return [];
    if (SLASH.test(form)) return ['/'];
    if (ASCII_WORD.test(form)) return [form];
    // One UTF-16 unit each, so that skeleton indexes match the list of offsets.
    return [NON_ASCII_LETTER.test(form) ? ANY_LETTER : form.length === 1 ? form : '*'];
  });
}
