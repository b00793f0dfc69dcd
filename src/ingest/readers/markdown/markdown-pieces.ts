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

/** The row below the header of a table. */
const DELIMITER_ROW = /^\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;
/**
 * Longer tables whose rows all begin with a bar, and longer lists, are recognised by their lines: the parser takes 0.1 ms
 * and kilobytes for each row, and time quadratic in the items of a list.
 */
const MIN_LONG = 4_000;

export interface MarkdownPiece extends Span {
  /** The only block of the piece, if it is known and need not be parsed. */
  readonly kind?: 'table' | 'list';
}

/** Splits a Markdown text at block ends into pieces that can be parsed separately. */
export function markdownPieces(text: string): MarkdownPiece[] {
  if (text.length <= MIN_PIECE_LENGTH) return [{ start: 0, end: text.length }];
  const pieces: MarkdownPiece[] = [];
  let start = 0;
  let isAfterBlank = false;
  let fence: string | undefined;
  let html: RegExp | undefined;
  /** Lists that begin before this offset have been looked at. */
  let listsEnd = 0;
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
      if (isAfterBlank || at === 0) {
        const table = longTable(text, at, end);
        const list = table === undefined && at >= listsEnd && LIST_ITEM.test(line) ? longList(text, at) : undefined;
        listsEnd = list?.end ?? listsEnd;
        const long = table ?? (list?.isList === true ? list : undefined);
        if (long !== undefined) {
          if (at > start) pieces.push({ start, end: at });
          pieces.push({ start: at, end: long.end, kind: table === undefined ? 'list' : 'table' });
          start = long.end;
          at = long.end;
          isAfterBlank = true;
          continue;
        }
      }
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
  if (start < text.length) pieces.push({ start, end: text.length });
  return pieces;
}

/** The table that begins with the line from `start` to `end`, if it is long and a blank line follows it. */
function longTable(text: string, start: number, end: number): { readonly end: number } | undefined {
  if (text[start] !== '|') return undefined;
  const second = text.indexOf('\n', end + 1);
  if (second === -1 || !DELIMITER_ROW.test(text.slice(end + 1, Math.min(second, end + 2_000)))) return undefined;
  let at = second;
  while (text[at + 1] === '|') {
    const newline = text.indexOf('\n', at + 1);
    at = newline === -1 ? text.length : newline;
  }
  const next = text.indexOf('\n', at + 1);
  const isClosed = text.slice(at + 1, next === -1 ? text.length : next).trim() === '';
  return isClosed && at - start >= MIN_LONG ? { end: at } : undefined;
}

/** Lines within a list that may be blocks of their own, so that the parser has to look at them. */
const NOT_IN_LIST = /^\s*(?:`{3}|~{3}|<|([-*_])[ \t]*(?:\1[ \t]*){2,}$)/;

/**
 * The list that begins at `start`, up to its last line with text. `isList` is false if it is short, or if the parser has
 * to decide what it is.
 */
function longList(text: string, start: number): { readonly end: number; readonly isList: boolean } {
  let last = start;
  let isAfterBlank = false;
  for (let at = start; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, Math.min(end, at + 200));
    const isBlank = line.trim() === '';
    if (!isBlank && !LIST_ITEM.test(line) && !/^[ \t]/.test(line)) {
      return { end: isAfterBlank ? last : at, isList: isAfterBlank && last - start >= MIN_LONG };
    }
    if (NOT_IN_LIST.test(line)) return { end, isList: false };
    if (!isBlank) last = end;
    isAfterBlank = isBlank;
    at = end + 1;
  }
  return { end: last, isList: last - start >= MIN_LONG };
}
