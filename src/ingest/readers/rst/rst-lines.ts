/** The end of the lines indented by at least `min`. */
export function indentedEnd(lines: readonly string[], at: number, min: number): number {
  let end = at;
  for (let index = at; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    if (indentOf(line) < min) break;
    end = index + 1;
  }
  return end;
}

/** Number of leading spaces of a line. */
export const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** Lines without their common indentation. */
export function unindent(lines: readonly string[]): string[] {
  const written = lines.filter((line) => line.trim() !== '');
  const min = written.reduce((fewest, line) => Math.min(fewest, indentOf(line)), Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(Math.min(min, indentOf(line))));
}
