import type { Quote, Syntax } from './code-syntax.ts';

/**
 * Source code with comments and string contents replaced by spaces: same length, same lines. The result can be searched
 * for names and brackets.
 */
export function maskCode(text: string, { comments, quotes }: Syntax): string {
  const out: string[] = [];
  let kept = 0;
  let at = 0;
  const hide = (end: number) => {
    out.push(text.slice(kept, at), text.slice(at, end).replaceAll(/[^\n]/g, ' '));
    at = end;
    kept = end;
  };
  const marks = new RegExp(
    [...comments.map(({ begin }) => begin), ...quotes.map(({ mark }) => mark)].map(escaped).join('|'),
    'g',
  );
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [found] = match;
    at = match.index;
    const comment = comments.find(({ begin }) => begin === found);
    const quote = quotes.find(({ mark }) => mark === found);
    const { end, next } =
      comment === undefined && quote !== undefined
        ? endOfText(text, at, quote)
        : { end: endOfComment(text, at, comment?.end ?? '\n'), next: -1 };
    hide(end);
    marks.lastIndex = Math.max(end, next);
  }
  out.push(text.slice(kept));
  return out.join('');
}

const escaped = (mark: string): string => mark.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function endOfComment(text: string, at: number, end: string): number {
  const found = text.indexOf(end, at + 1);
  if (found === -1) return text.length;
  return end === '\n' ? found : found + end.length;
}

interface Hidden {
  /** End of the masked text. */
  readonly end: number;
  /** Where to continue scanning. */
  readonly next: number;
}

/** A quote that is not closed within its line, in a language without multi-line strings, is not treated as one. */
function endOfText(text: string, at: number, { mark, holds }: Quote): Hidden {
  const upTo = (end: number): Hidden => ({ end, next: end });
  const start = at + mark.length;
  if (holds === 'letter') {
    const found = LETTER.exec(text.slice(start, start + 12))?.[0];
    return upTo(found === undefined ? start : start + found.length);
  }
  for (let index = start; index < text.length; index++) {
    const sign = text[index];
    if (sign === '\\') index++;
    // Skips to the end of the line, so that a line full of unclosed quotes is scanned only once.
    else if (sign === '\n' && holds === 'line') return { end: start, next: index };
    else if (text.startsWith(mark, index)) return upTo(index + mark.length);
  }
  return holds === 'lines' ? upTo(text.length) : { end: start, next: text.length };
}

const LETTER = /^(?:\\[^\n]{1,8}?|[^'\\\n]{1,2})'/;
