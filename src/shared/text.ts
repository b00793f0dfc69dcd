/** White space of any kind and length as single spaces, none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** On one line; cut to the length, an ellipsis included, where it is longer. */
export function shortLine(text: string, maxLength: number): string {
  const line = oneLine(text);
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** The entries of a list as settings and headers write it, separated by commas and white space unless told. */
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

/** The value of a JSON text; undefined when it is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
