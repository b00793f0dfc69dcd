/** The end of the lines indented by at least `least`. */
export function indentedEnd(lines: readonly string[], at: number, least: number): number {
  let end = at;
  for (let index = at; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    if (indentOf(line) < least) break;
    end = index + 1;
  }
  return end;
}

/** Number of leading spaces of a line. */
export const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** Lines without their common indentation. */
export function unindent(lines: readonly string[]): string[] {
  const written = lines.filter((line) => line.trim() !== '');
  const least = written.reduce((fewest, line) => Math.min(fewest, indentOf(line)), Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(Math.min(least, indentOf(line))));
}
