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
