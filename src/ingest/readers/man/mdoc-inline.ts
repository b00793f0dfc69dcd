/** A word of a line as mdoc sees it: macros are called by name unless they are quoted. */
export interface MdocWord {
  readonly text: string;
  readonly isMacro: boolean;
}

/** Macros that enclose the rest of the line. */
const ENCLOSING: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.entries<readonly [string, string]>({
    Op: ['[', ']'],
    Bq: ['[', ']'],
    Pq: ['(', ')'],
    Brq: ['{', '}'],
    Aq: ['<', '>'],
    Dq: ['“', '”'],
    Sq: ['‘', '’'],
    Ql: ['‘', '’'],
    Qq: ['"', '"'],
    In: ['<', '>'],
  }),
);
/** Pairs of macros that may enclose several lines. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  'Oo [ Oc ] Bo [ Bc ] Po ( Pc ) Bro { Brc } Ao < Ac > Do “ Dc ” So ‘ Sc ’ Qo " Qc "'
    .split(' ')
    .flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] ?? ''] as const] : [])),
);
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Bx: 'BSD',
    Bsx: 'BSD/OS',
    Fx: 'FreeBSD',
    Nx: 'NetBSD',
    Ox: 'OpenBSD',
    Dx: 'DragonFly',
    Ux: 'UNIX',
    At: 'AT&T UNIX',
  }),
);
/** Macros that only set their arguments in another font. */
const FONTS = new Set(
  'Ad An Ar Cd Cm Dv Dx Em Er Ev Fa Fl Fn Ft Ic Li Lk Ms Mt Nm No Ns Pa St Sx Sy Tn Va Vt Xr Ap Pf Ta Xo Xc Eo Ec Fc Fo Sm Bk Ek'.split(
    ' ',
  ),
);

export const isMdocInline = (name: string): boolean =>
  FONTS.has(name) || ENCLOSING.has(name) || SIGNS.has(name) || NAMES.has(name) || name === 'D1' || name === 'Dl';

const OPENING = /^[([]$/;
const CLOSING = /^[.,:;)\]?!]$/;
/** Signs that are no argument of a macro. */
const DELIMITER = /^[.,:;)\]?!|]$/;

/** The words of a line with mdoc macros as text; `Nm` without an argument is the name of the page. */
export function mdocText(words: readonly MdocWord[], pageName: string): string {
  const last = words.findLastIndex(({ text }) => !CLOSING.test(text));
  const parts: string[] = [];
  const ends: string[] = [];
  let isGlued = true;
  const put = (text: string) => {
    if (!isGlued) parts.push(' ');
    parts.push(text);
    isGlued = false;
  };
  for (let at = 0; at <= last; at++) {
    const { text, isMacro } = words[at] ?? { text: '', isMacro: false };
    if (!isMacro) {
      if (CLOSING.test(text)) isGlued = true;
      put(text);
      if (OPENING.test(text)) isGlued = true;
      continue;
    }
    let end = at + 1;
    while (end <= last && words[end]?.isMacro === false && !DELIMITER.test(words[end]?.text ?? '')) end++;
    const taken = words.slice(at + 1, end).map((word) => word.text);
    const enclosing = ENCLOSING.get(text);
    const sign = SIGNS.get(text);
    if (enclosing !== undefined) {
      put(enclosing[0]);
      ends.push(enclosing[1]);
      isGlued = true;
    } else if (sign !== undefined) {
      if (text.endsWith('c')) isGlued = true;
      put(sign);
      isGlued = text.endsWith('o');
    } else if (text === 'Ns' || text === 'Pf' || text === 'Ap') {
      isGlued = true;
      if (text === 'Ap') put("'");
      if (text === 'Pf') {
        isGlued = parts.length === 0;
        put(words[++at]?.text ?? '');
      }
      isGlued = true;
    } else {
      const shown = shownBy(text, taken, pageName);
      if (shown !== '') put(shown);
      at = end - 1;
    }
  }
  return (
    parts.join('') +
    ends.reverse().join('') +
    words
      .slice(last + 1)
      .map((word) => word.text)
      .join('')
  );
}

function shownBy(name: string, given: readonly string[], pageName: string): string {
  const [first = '', ...others] = given;
  const all = given.join(' ');
  if (name === 'Fl') return given.length === 0 ? '-' : given.map((flag) => `-${flag}`).join(' ');
  if (name === 'Xr') return others.length === 0 ? first : `${first}(${others[0]})`;
  if (name === 'Fn') return given.length === 0 ? '' : `${first}(${others.join(', ')})`;
  if (name === 'Fo') return `${first}(`;
  if (name === 'Fc') return ')';
  if (name === 'Fa') return given.join(', ');
  if (name === 'Lk' && others.length > 0) return `${others.join(' ')} <${first}>`;
  if (name === 'Ta') return all === '' ? '|' : `| ${all}`;
  if (name === 'Nm') return all || pageName;
  if (name === 'Ar' && all === '') return 'file ...';
  if (name === 'Pa' && all === '') return '~';
  if (name === 'Sm' || name === 'Bk' || name === 'Ek') return '';
  const known = NAMES.get(name);
  return known === undefined ? all : `${known} ${all}`.trim();
}
