/** The value of a CSV field; lists and objects are written as JSON. */
export type CsvValue = string | number | boolean | null | readonly unknown[] | object;

/** Characters per piece written to the response. */
const CHUNK_SIZE = 64_000;

/**
 * Writes rows as CSV in pieces, so that memory use is bounded for any number of rows. Every field is quoted and no
 * value is changed, so an export can be read back (docs/contract.md 6.3).
 */
export async function* toCsv(
  header: readonly string[] | undefined,
  rows: AsyncIterable<readonly CsvValue[]>,
): AsyncGenerator<string, void> {
  let piece = header === undefined ? '' : csvLine(header);
  for await (const row of rows) {
    piece += csvLine(row);
    if (piece.length < CHUNK_SIZE) continue;
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
