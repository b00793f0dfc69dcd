/**
 * Rows as lines with columns as wide as they need to be, two blanks apart. The first `words` columns are left-aligned, the
 * others right-aligned.
 */
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
