import { CsvError, parse } from 'csv-parse/sync';
import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { createTextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';
import { sniffDialect } from './csv-dialect.ts';
import { partsOfTable } from './csv-header.ts';

/** Rows per block; the splitter cuts between rows anyway, and this block size keeps it fast. */
const ROWS_PER_BLOCK = 50;
const MAX_TEXT = 200_000_000;

/**
 * Tables as text. Each row becomes one line that names its columns (`Route: North; Fare: 12`), so that a chunk of any
 * rows can be found, understood and quoted on its own.
 */
export const csvReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const { text, delimiter } = dialectOf(decoded.text);
    const filled = parseRows(text, delimiter, fileName).filter((row) => row.some((cell) => cell.trim() !== ''));
    const { captions, header, rows } = partsOfTable(filled);
    const builder = createTextBuilder();
    for (const caption of captions) builder.add('paragraph', caption);
    // The list of all column names describes the table.
    if (header !== undefined) builder.add('paragraph', header.join(delimiter));
    for (let index = 0; index < rows.length; index += ROWS_PER_BLOCK) {
      builder.add(
        'table',
        rows
          .slice(index, index + ROWS_PER_BLOCK)
          .map((row) => rowText(row, header, delimiter))
          .join('\n'),
      );
      if (builder.length > MAX_TEXT) {
        throw new ServiceError(
          'too_large',
          `${fileName} unfolds to more than ${MAX_TEXT} characters; split the table.`,
        );
      }
    }
    const columns = header === undefined ? {} : { columns: header };
    return { ...builder.finish(), metadata: { ...columns, row_count: rows.length } };
  },
};

function parseRows(text: string, delimiter: string, fileName: string): string[][] {
  const options = {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: 1_000_000,
  };
  try {
    try {
      return parse(text, options);
    } catch (error) {
      if (!(error instanceof CsvError) || !UNCLOSED.includes(error.code)) throw error;
      // One mark that is never closed, such as `"5 inch`, must not cost the table: quotation marks then end with their cell.
      return parse(text, { ...options, quote: null }).map((row) => row.map(unquoted));
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ServiceError('invalid_request', `${fileName} is not a readable table: ${error.message}.`, {
      cause: error,
    });
  }
}

/** Codes of the parser when a quoted cell extends to the end of the file, or over more than a record may hold. */
const UNCLOSED: readonly string[] = ['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE'];

const unquoted = (cell: string): string =>
  cell.length > 1 && cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;

/** Takes the delimiter from a first line `sep=;`, which Excel writes and which is removed, or else from the data. */
function dialectOf(text: string): { readonly text: string; readonly delimiter: string } {
  const [line, delimiter] = /^sep=([,;|\t])\n/i.exec(text) ?? [];
  if (line !== undefined && delimiter !== undefined) return { text: text.slice(line.length), delimiter };
  return { text, delimiter: sniffDialect(text.slice(0, 100_000)).delimiter };
}

/** Name for an unnamed first column, as in exported data frames. */
const NAME_OF_ROWS = 'Row';

function rowText(row: readonly string[], header: readonly string[] | undefined, delimiter: string): string {
  if (header === undefined) return row.map(oneLine).join(delimiter);
  return row
    .map((cell, column) => {
      const value = oneLine(cell);
      const name = header[column] || (column === 0 ? NAME_OF_ROWS : '');
      return value === '' || name === '' ? value : `${name}: ${value}`;
    })
    .filter((cell) => cell !== '')
    .join('; ');
}
