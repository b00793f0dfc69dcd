/** Rows of wider tables end with their last cell, as Markdown allows: padded ones of a small file could fill the memory. */
const MAX_PADDED = 256;

/** A table in Markdown. Rows may be shorter than the header; cells must be single lines. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = header.length;
  const line = (cells: readonly string[]) => {
    const length = columns > MAX_PADDED ? Math.min(cells.length, columns) : columns;
    return `| ${Array.from({ length }, (_, index) => escapeBars(cells[index] ?? '')).join(' | ')} |`;
  };
  return [line(header), `|${' --- |'.repeat(columns)}`, ...rows.map(line)].join('\n');
}

const escapeBars = (cell: string): string => cell.replaceAll('|', '\\|');
