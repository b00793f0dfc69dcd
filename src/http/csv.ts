/** What a field of a CSV file is made of; lists and objects are written as JSON. */
export type CsvValue = string | number | boolean | null | readonly unknown[] | object;

/** Characters handed over at once. */
const PIECE = 64_000;

/**
 * Rows as a CSV file in pieces, so that any number of them passes through little memory. Every field is quoted, and no
 * value is altered: what is exported can be read back (r2r-v3.md 6.3).
 */
export async function* toCsv(
  header: readonly string[] | undefined,
  rows: AsyncIterable<readonly CsvValue[]>,
): AsyncGenerator<string, void> {
  let piece = header === undefined ? '' : csvLine(header);
  for await (const row of rows) {
    piece += csvLine(row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(',')}\r\n`;

const csvField = (value: CsvValue): string => `"${textOf(value).replaceAll('"', '""')}"`;

function textOf(value: CsvValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
