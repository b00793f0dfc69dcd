import { defineString, plainRoff, type RoffStrings } from './roff-escapes.ts';

/** A line of text, or a request or macro with the rest of its line. */
export interface RoffLine {
  /** Undefined for text. */
  readonly name?: string;
  readonly rest: string;
}

/** The end of an equation, which is for another program. */
const END_OF_EQUATION = /^\.\s*EN\b/;
const DEFINES = new Set(['de', 'de1', 'am', 'am1', 'dei', 'ami']);

/**
 * Lines as nroff would format them: without comments, definitions, and branches for other devices. `shown` receives the
 * names of the page's own macros that print their arguments.
 */
export function* roffLines(text: string, strings: RoffStrings, shown: Set<string>): Generator<RoffLine> {
  const lines = joinedLines(text);
  const alternatives: boolean[] = [];
  let unwanted = 0;
  for (let next = lines.next(); !next.done; next = lines.next()) {
    let line = next.value;
    if (unwanted > 0) {
      unwanted += bracesOf(line);
      continue;
    }
    for (;;) {
      if (!/^[.']/.test(line)) {
        yield { rest: line };
        break;
      }
      const [start, name = ''] = /^[.'][ \t]*([^\s\\]{1,80})?[ \t]*/.exec(line) ?? [''];
      const rest = line.slice(start.length);
      if (name === 'if' || name === 'ie' || name === 'el') {
        const { holds, body } =
          name === 'el' ? { holds: alternatives.pop() ?? false, body: rest } : condition(rest, strings);
        if (name === 'ie') alternatives.push(!holds);
        if (!holds) {
          unwanted = Math.max(0, bracesOf(body));
          break;
        }
        line = body.replace(/^[ \t]*\\\{[ \t]*/, '').trimStart();
        if (line === '') break;
        continue;
      }
      // Text that is ignored ends as a definition does, but has no name.
      if (DEFINES.has(name) || (name === 'ig' && !shown.has(name))) {
        const [own = '', end = '.'] = (name === 'ig' ? `ig ${rest}` : rest).trimEnd().split(/[ \t]+/, 2);
        const ends = end === '' || end.startsWith('\\') ? '.' : end;
        let prints = false;
        for (
          next = lines.next();
          !next.done && next.value.replace(/^[.'][ \t]*/, '').trim() !== ends;
          next = lines.next()
        )
          prints ||= /^[^.'].{0,200}\\\$[1-9@*]/.test(next.value);
        if (prints && name !== 'ig' && own !== '' && own !== 'IX') shown.add(own);
        break;
      }
      if (name === 'EQ' && !shown.has(name))
        for (next = lines.next(); !next.done && !END_OF_EQUATION.test(next.value); next = lines.next());
      else if (name === 'ds') defineString(strings, rest);
      else if (name !== '') yield { name, rest: withoutComment(rest).replaceAll('\\}', '') };
      break;
    }
  }
}

/** Lines, joined where a backslash ends them. */
function* joinedLines(text: string): Generator<string> {
  let parts: string[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trimEnd();
    const slashes = trimmed.length === line.length ? (/\\{1,100}$/.exec(trimmed)?.[0].length ?? 0) : 0;
    // What follows a comment is no continuation.
    if (slashes % 2 === 1 && !/^[.'][ \t]*\\"/.test(line)) {
      parts.push(line.slice(0, -1));
      // `\{\` opens a block, whose first line is a line of its own.
      if (!line.endsWith('\\{\\')) continue;
      yield parts.join('');
    } else yield parts.length === 0 ? trimmed : [...parts, trimmed].join('');
    parts = [];
  }
  if (parts.length > 0) yield parts.join('');
}

function bracesOf(line: string): number {
  let open = 0;
  for (const [brace] of line.matchAll(/\\[\\{}]/g)) open += brace === '\\{' ? 1 : brace === '\\}' ? -1 : 0;
  return open;
}

const withoutComment = (rest: string): string => rest.replace(/((?:^|[^\\])(?:\\\\){0,20})\\["#].*$/, '$1').trimEnd();

/** Only what pages ask for portably is known: nroff, groff and the equality of strings. All else is false. */
function condition(rest: string, strings: RoffStrings): { readonly holds: boolean; readonly body: string } {
  const negation = /^!{0,9}[ \t]*/.exec(rest)?.[0] ?? '';
  const asked = rest.slice(negation.length);
  const isNegated = negation.trim().length % 2 === 1;
  const [compared, , left = '', right = ''] = /^(['"])([^\n]{0,200}?)\1([^\n]{0,200}?)\1/.exec(asked) ?? [];
  if (compared !== undefined) {
    const isSame = plainRoff(left, strings) === plainRoff(right, strings);
    return { holds: isSame !== isNegated, body: asked.slice(compared.length) };
  }
  const expression = /^(?:[nt](?![\w(])|(?:[^\s\\]|\\(?!\{)){1,200})/.exec(asked)?.[0] ?? '';
  const isKnown = /^(?:n|t|[01]|\(?\\n(?:\(\.g|\[\.g\])\)?)$/.test(expression);
  const isTrue = isKnown && expression !== 't' && expression !== '0';
  return { holds: isKnown && isTrue !== isNegated, body: asked.slice(expression.length) };
}
