import { pageLabel } from '../documents/page-label.ts';
import { alignedTable } from '../shared/aligned-table.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Untrusted text without control characters that would steer a terminal (colours, cursor movement, bidi overrides). */
export const visible = (text: string): string => text.replace(CONTROLS, '\ufffd');

/** `visible`, on one line. */
export const visibleLine = (text: string): string => visible(text.replace(/[\t\r\n\v\f]+/g, ' '));

/** Breaks text into lines of at most `width` characters, at white space if possible. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of visible(text)
    .split(/\s+/)
    .filter((part) => part !== '')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length <= width) {
      line += ` ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (rest.length > width) {
      lines.push(rest.slice(0, width));
      rest = rest.slice(width);
    }
    line = rest;
  }
  return line === '' ? lines : [...lines, line];
}

/** `wrap`, cut after `maxLines`, each line behind `indent`. */
export function paragraph(text: string, options: { width: number; indent: string; maxLines?: number }): string {
  const { width, indent, maxLines = Number.POSITIVE_INFINITY } = options;
  const lines = wrap(text, Math.max(20, width - indent.length));
  const shown = lines.slice(0, maxLines);
  const last = shown.at(-1);
  if (lines.length > shown.length && last !== undefined) shown[shown.length - 1] = `${last} …`;
  return shown.map((line) => indent + line).join('\n');
}

/** The place of a chunk in words: `page 3, Terms > Payment`, with `slide 3` in a presentation. */
export function formatLocation(chunk: {
  readonly documentType: string | undefined;
  readonly page: number | null;
  readonly headingPath: readonly string[];
}): string {
  return [
    ...(chunk.page === null ? [] : [pageLabel(chunk.documentType, chunk.page)]),
    ...(chunk.headingPath.length === 0 ? [] : [visibleLine(chunk.headingPath.join(' > '))]),
  ].join(', ');
}

/** Untrusted cells in left-aligned columns. */
export const table = (rows: readonly (readonly string[])[]): string[] =>
  alignedTable(
    rows.map((row) => row.map(visibleLine)),
    Number.POSITIVE_INFINITY,
  );
