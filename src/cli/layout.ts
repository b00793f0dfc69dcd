/** Breaks text into lines of at most `width` characters, at white space where there is some. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
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

/** Where a passage stands, in words: `page 3, Terms > Payment`. */
export function place(passage: { readonly page: number | null; readonly headingPath: readonly string[] }): string {
  return [
    ...(passage.page === null ? [] : [`page ${passage.page}`]),
    ...(passage.headingPath.length === 0 ? [] : [passage.headingPath.join(' > ')]),
  ].join(', ');
}

/** Left-aligned columns, as wide as they need to be, two blanks apart; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
  );
}
