import { CsvError, parse } from 'csv-parse/sync';
import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { createTextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';
import { sniffDialect } from './csv-dialect.ts';

/** Rows per block; the splitter cuts between rows anyway, and this block size keeps it fast. */
const ROWS_PER_BLOCK = 50;
const MAX_TEXT = 200_000_000;

/**
 * Tables as text. Each row becomes one line that names its columns (`Route: North; Fare: 12`), so that a chunk of any
 * rows can be found, understood and quoted by itself.
 */
export const csvReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const { delimiter } = sniffDialect(decoded.text.slice(0, 100_000));
    const rows = parseRows(decoded.text, delimiter, fileName).filter((row) => row.some((cell) => cell.trim() !== ''));
    const header = headerOf(rows);
    const builder = createTextBuilder();
    const body = header === undefined ? rows : rows.slice(1);
    // The list of all column names describes the table.
    if (header !== undefined) builder.add('paragraph', header.join(delimiter));
    for (let index = 0; index < body.length; index += ROWS_PER_BLOCK) {
      builder.add(
        'table',
        body
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
    return { ...builder.finish(), metadata: { ...columns, row_count: body.length } };
  },
};

function parseRows(text: string, delimiter: string, fileName: string): string[][] {
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: 1_000_000,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ServiceError('invalid_request', `${fileName} is not a readable table: ${error.message}.`, {
      cause: error,
    });
  }
}

/** The first row, when it looks like names rather than data: no empty, repeated or numeric cell. */
function headerOf(rows: readonly string[][]): string[] | undefined {
  const first = rows[0]?.map(oneLine);
  if (first === undefined || first.length === 0) return undefined;
  const names = first.filter((cell) => cell !== '');
  if (names.length < Math.max(1, first.length - 1) || names.some((cell) => isNumber(cell) || cell.length > 120))
    return undefined;
  return new Set(names).size === names.length ? first : undefined;
}

const isNumber = (cell: string): boolean => /^[-+]?[\d.,'\s]*\d%?$/.test(cell);
function rowText(row: readonly string[], header: readonly string[] | undefined, delimiter: string): string {
  if (header === undefined) return row.map(oneLine).join(delimiter);
  return row
    .map((cell, column) => {
      const value = oneLine(cell);
      const name = header[column] ?? '';
      return value === '' || name === '' ? value : `${name}: ${value}`;
    })
    .filter((cell) => cell !== '')
    .join('; ');
}
