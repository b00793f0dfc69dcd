/** Formats rows as aligned columns: the first `words` columns left-aligned, the others right-aligned. */
export function alignedTable(rows: readonly (readonly string[])[], words = 1): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats rows as a Markdown table; the first row is the header. */
export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line)];
}

/** Formats a score. */
export const shownScore = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3));

/** Formats a score difference with its sign. */
export const shownDifference = (value: number): string =>
  `${value > 0.0005 ? '+' : value < -0.0005 ? '−' : '±'}${Math.abs(value).toFixed(3)}`;

/** Formats a p-value. */
export const shownChance = (value: number): string => (value < 0.001 ? '<0.001' : value.toFixed(3));
