import type { Span } from '../../../citations/citation.ts';

/** Minimum size of a piece; the parser's time is quadratic in its input. */
const MIN_PIECE_LENGTH = 4_000;

/** Blocks that continue over blank lines until an end pattern → that pattern. */
const HTML_UNTIL: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![A-Z]/i, />/],
];
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** Matches lines that, after a blank line, cannot continue an earlier block. */
const STANDS_ALONE = /^[\p{L}#|>*_\d[]/u;
/** Matches lines that can continue a list after any distance. */
const LIST_ITEM = /^(?:[*+-]|\d{1,9}[.)])(?:\s|$)/;

/** Splits a Markdown text at block ends into pieces that can be parsed separately. */
export function markdownPieces(text: string): Span[] {
  if (text.length <= MIN_PIECE_LENGTH) return [{ start: 0, end: text.length }];
  const pieces: Span[] = [];
  let start = 0;
  let isAfterBlank = false;
  let fence: string | undefined;
  let html: RegExp | undefined;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    // The line's beginning determines its kind, but its end may close a block.
    const line = text.slice(at, end);
    const mark = FENCE.exec(line.slice(0, 200));
    if (fence !== undefined) {
      if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === '') fence = undefined;
    } else if (html !== undefined) {
      if (html.test(line)) html = undefined;
    } else {
      const mayBegin = isAfterBlank && STANDS_ALONE.test(line) && !LIST_ITEM.test(line);
      if (mayBegin && at - start >= MIN_PIECE_LENGTH) {
        pieces.push({ start, end: at });
        start = at;
      }
      fence = mark?.[1];
      const opened = HTML_UNTIL.find(([begin]) => begin.test(line));
      if (opened !== undefined && !opened[1].test(line)) html = opened[1];
    }
    isAfterBlank = line.trim() === '';
    at = end + 1;
  }
  pieces.push({ start, end: text.length });
  return pieces;
}
