/** The date of a mail in ISO format, UTC; undefined if it cannot be read. */
export function mailDate(written: string | undefined): string | undefined {
  const time = written === undefined ? Number.NaN : Date.parse(written.replace(/\s*\([^)]*\)\s*$/, ''));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
