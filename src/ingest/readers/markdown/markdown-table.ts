/** A table in Markdown. Rows may be shorter than the header; cells must be single lines. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${header.map((_, index) => escapeBars(cells[index] ?? '')).join(' | ')} |`;
  return [line(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}

const escapeBars = (cell: string): string => cell.replaceAll('|', '\\|');
