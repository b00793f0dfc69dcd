/** Strings of the page (`.ds`) and of the macro packages by name, as plain text. */
export type RoffStrings = Map<string, string>;

/** Special characters, as in `\(em` or `\[em]`. Accents and rare signs are dropped. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  "bu • em — en – hy - mi - aq ' dq \" lq “ rq ” oq ‘ cq ’ ga ` ha ^ ti ~ rs \\ sl / ul _ ba | br | or | at @ sh # Do $ co © rg ® tm ™ de ° mu × di ÷ +- ± <= ≤ >= ≥ != ≠ == ≡ ~= ≈ -> → <- ← ua ↑ da ↓ lA ⇐ rA ⇒ Fo « Fc » fo ‹ fc › ci ○ sq □ ss ß ae æ AE Æ oe œ Po £ Eu € Ye ¥ ct ¢ sc § ps ¶ dg † dd ‡ 12 ½ 14 ¼ 34 ¾ if ∞ *a α *b β *g γ *d δ *e ε *l λ *m μ *p π *s σ *w ω *W Ω mc µ pl + eq = lB [ rB ] lC { rC } la ⟨ ra ⟩ :a ä :o ö :u ü :A Ä :O Ö :U Ü 'e é 'a á 'i í 'o ó 'u ú 'E É `e è `a à ^e ê ^o ô ~n ñ ,c ç /o ø oa å Bq „ r! ¡ r? ¿ OK ✓ ff ff fi fi fl fl"
    .split(' ')
    .reduce<[string, string][]>((pairs, word, at, words) => {
      if (at % 2 === 0) pairs.push([word, words[at + 1] ?? '']);
      return pairs;
    }, []),
);

/** Strings that `man`, `mdoc` and Pod define. */
export const commonStrings = (): RoffStrings =>
  new Map([
    ['lq', '“'],
    ['rq', '”'],
    ['R', '®'],
    ['Tm', '™'],
    ['Aq', "'"],
    ['Lq', '“'],
    ['Rq', '”'],
    ['Ba', '|'],
    ['Lt', '<'],
    ['Gt', '>'],
    ['Ge', '≥'],
    ['Le', '≤'],
    ['Ne', '≠'],
    ['Pm', '±'],
  ]);

/** Longer values are cut, so that a page cannot grow much by its own strings. */
export const MAX_STRING = 40;

export function defineString(strings: RoffStrings, definition: string): void {
  const [, name, value = ''] = /^(\S{1,40})(?:[ \t]+"?(.*))?$/.exec(definition) ?? [];
  if (name !== undefined) strings.set(name, plainRoff(value, strings).slice(0, MAX_STRING));
}

/** One escape; the groups are a special character, a string, a horizontal motion, a number or name, and any other. */
const ESCAPE =
  /\\(?:\((..)|\[([^\]\n]{0,80})\]|\*(?:\((..)|\[([^\]\n]{0,80})\]|(.))|["#].*|h'([^'\n]{0,200})'|[CN]'([^'\n]{0,80})'|[bvwlLDXBoRSHxAZ]'[^'\n]{0,200}'|[fFmMgknYV](?:[+-]?(?:\(..|\[[^\]\n]{0,80}\]|[^\s(\\[]))?|s(?:[+-]?(?:\(..|\[[^\]\n]{0,8}\]|'[^'\n]{0,8}'|[1-3]\d|\d))?|\$(?:\(..|\[[^\]\n]{0,80}\]|.)?|(.)|$)/g;

const SIMPLE: Readonly<Record<string, string>> = {
  e: '\\',
  E: '\\',
  '\\': '\\',
  '~': ' ',
  '0': ' ',
  ' ': ' ',
  t: '\t',
};
/** Invisible ones besides letters: zero-width spaces, hyphenation, braces of conditions. */
const INVISIBLE = new Set('&%:|^/,{}!?)c'.split(''));

/** Text without escapes. */
export const plainRoff = (text: string, strings: RoffStrings): string =>
  text.includes('\\')
    ? text.replace(ESCAPE, (_, two, long, stringTwo, stringLong, stringOne, motion, named, other) => {
        const string: string | undefined = stringTwo ?? stringLong ?? stringOne;
        if (string !== undefined) return strings.get(string) ?? '';
        const name: string | undefined = two ?? long ?? named;
        if (name !== undefined) return characterOf(name);
        if (motion !== undefined) return /^\+?0*[1-9]/.test(motion) ? ' ' : '';
        if (other === undefined || INVISIBLE.has(other)) return '';
        return SIMPLE[other] ?? (/[a-zA-Z]/.test(other) ? '' : other);
      })
    : text;

function characterOf(name: string): string {
  const known = CHARACTERS.get(name);
  if (known !== undefined) return known;
  const [, hexadecimal, decimal] = /^(?:u([0-9A-F]{4,5})|(?:char)?(\d{2,3})$)/.exec(name) ?? [];
  const code = hexadecimal === undefined ? Number(decimal ?? 0) : Number.parseInt(hexadecimal, 16);
  return String.fromCodePoint(code).replace(/[\p{Cc}\p{Cs}]/u, '');
}

/** Arguments of a macro, still with their escapes; those in quotes may hold spaces and two quotes for one. */
export function roffArguments(text: string): { readonly text: string; readonly isQuoted: boolean }[] {
  const found: { text: string; isQuoted: boolean }[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ' || text[at] === '\t') {
      at++;
      continue;
    }
    const isQuoted = text[at] === '"';
    let argument = '';
    let start = isQuoted ? ++at : at;
    for (; at < text.length; at++) {
      const sign = text[at];
      if (sign === '\\') at++;
      else if (isQuoted && sign === '"') {
        if (text[at + 1] !== '"') break;
        argument += text.slice(start, ++at);
        start = at + 1;
      } else if (!isQuoted && (sign === ' ' || sign === '\t')) break;
    }
    found.push({ text: argument + text.slice(start, at), isQuoted });
    at++;
  }
  return found;
}
