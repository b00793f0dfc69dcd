/**
 * Marker notations used by models: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, `[Source 1]`, `【1】`, `［１］`, `【1†title】`. Numbers
 * have at most three digits, so that the case citation `[2019] EWCA Civ 1` is not taken for a marker.
 */
const BODY = /^\s?\^?([A-Za-z]*)[.:]?([\s\d０-９,;，、；–—-]*)(†[^[【［]*)?$/;
const OPENING = '[【［';
const CLOSING = ']】］';

// Enough for a list of a dozen numbers.
const MAX_MARKER_LENGTH = 64;
const MAX_RANGE = 20;

export const opensMarker = (char: string): boolean => OPENING.includes(char);
export const closesMarker = (char: string): boolean => CLOSING.includes(char);

/** Whether this text without a closing bracket may still become a marker. */
export function mayBecomeMarker(beginning: string): boolean {
  const body = beginning.length > MAX_MARKER_LENGTH ? null : BODY.exec(beginning.slice(1));
  return body !== null && 'sources'.startsWith((body[1] ?? '').toLowerCase());
}

/** Distinct numbers in a bracket, in order; undefined when it is not a marker. */
export function readMarker(bracket: string): readonly number[] | undefined {
  const [, word = '', list = ''] = BODY.exec(bracket.slice(1, -1)) ?? [];
  if (!['', 'source', 'sources'].includes(word.toLowerCase())) return undefined;
  const numbers = new Set<number>();
  for (const item of toAsciiDigits(list).split(/[,;，、；]/)) {
    const [, first, last = first] = /^\s*(\d{1,3})(?:\s*[–—-]\s*(\d{1,3}))?\s*$/.exec(item) ?? [];
    if (first === undefined) return undefined;
    const from = Number(first);
    const to = Number(last);
    if (to < from || to - from >= MAX_RANGE) return undefined;
    for (let number = from; number <= to; number++) numbers.add(number);
  }
  // "[0, 1]" is an interval: source numbers start at 1.
  return numbers.size > 1 && numbers.has(0) ? undefined : [...numbers];
}

const toAsciiDigits = (text: string): string =>
  text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
