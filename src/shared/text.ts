/** Collapses each run of white space to one space, and trims. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The text with spaces in place of control characters, which file systems and headers of forms allow in names. */
export const withoutControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');

/** Lower-case letters and digits of a text without anything between them, to compare titles. */
export const lettersAndDigits = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

const MAX_TITLE_LENGTH = 120;

/**
 * Puts the text on one line, so that a title cannot be taken for what follows it, and truncates it to `maxLength`,
 * including the ellipsis.
 */
export function shortLine(text: string, maxLength: number = MAX_TITLE_LENGTH): string {
  const line = oneLine(text);
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** Splits a list as written in settings and headers, by default at commas and white space; drops empty entries. */
export const splitList = (list: string, separator: RegExp = /[,\s]+/): string[] =>
  list
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** The largest offset up to `end` that does not split a surrogate pair. */
export function wholeCharacterEnd(text: string, end: number): number {
  const place = Math.min(text.length, end);
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}

/**
 * The end of a passage that begins at `start`, at most at `end`: the last white space in its final tenth, if any, so that
 * no word is cut.
 */
export function wholeWordEnd(text: string, start: number, end: number): number {
  if (end >= text.length) return text.length;
  const earliest = end - Math.floor((end - start) / 10);
  for (let at = end; at > earliest; at--) if (/\s/.test(text.charAt(at - 1))) return at;
  return wholeCharacterEnd(text, end);
}

/** The text without the slashes at its end. Not a regular expression, which would take quadratic time for many slashes. */
export function withoutFinalSlashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '/') end--;
  return text.slice(0, end);
}

/** Parses JSON; undefined if the text is not valid JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses JSON; the text itself if it is not valid JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Decodes percent-encoding; the text itself if it contains a percent sign that encodes nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
