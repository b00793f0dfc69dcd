import type { TextBuilder } from '../build-text.ts';
import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import { fillMerged, type Sheet, type SheetRow } from './sheet-rows.ts';

/** Writes a sheet: its name as a heading, and each region of consecutive non-empty rows as a table. */
export function addSheet(builder: TextBuilder, { name, isHidden, rows, merged }: Sheet): void {
  if (rows.length === 0) return;
  builder.add('heading', `${cleanText(name)}${isHidden ? ' (hidden sheet)' : ''}`, { level: 1 });
  let header: Header | undefined;
  for (const region of regionsOf(fillMerged(rows, merged))) header = addRegion(builder, region, header);
}

/** Column names, by column. */
type Header = ReadonlyMap<number, string>;

function* regionsOf(rows: readonly SheetRow[]): Generator<SheetRow[]> {
  let region: SheetRow[] = [];
  for (const row of rows) {
    const last = region.at(-1);
    if (last !== undefined && row.index > last.index + 1) {
      yield region;
      region = [];
    }
    region.push(row);
  }
  if (region.length > 0) yield region;
}

/** Writes one region; returns its column names for regions below that continue without a header. */
function addRegion(builder: TextBuilder, region: readonly SheetRow[], above: Header | undefined): Header | undefined {
  const firstWide = region.findIndex(({ cells }) => cells.length > 1);
  if (firstWide === -1) {
    const lines = region.map(({ cells }) => cleanLine(cells[0]?.text ?? ''));
    builder.add(lines.length === 1 ? 'paragraph' : 'list', lines.join('\n'));
    return above;
  }
  // Single cells above a table are its caption.
  for (const { cells } of region.slice(0, firstWide)) builder.add('paragraph', cleanLine(cells[0]?.text ?? ''));
  const rows = region.slice(firstWide);
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.map(({ column }) => column)))].sort((a, b) => a - b);
  const own = headerOf(rows, columns);
  const goesOn =
    above !== undefined &&
    columns.every((column) => above.has(column)) &&
    (own === undefined || !hasNumbers(rows.slice(1)));
  const header = goesOn ? above : own;
  const body = goesOn || own === undefined ? rows : rows.slice(1);
  if (isSparse(rows, columns)) builder.add('list', body.map((row) => namedCells(row, header)).join('\n'));
  else {
    const shown = goesOn ? [...above.keys()] : columns;
    builder.add(
      'table',
      markdownTable(
        shown.map((column) => cleanLine(header?.get(column) ?? '')),
        body.map((row) => valuesOf(row, shown)),
      ),
    );
  }
  return header ?? above;
}

function valuesOf({ cells }: SheetRow, columns: readonly number[]): string[] {
  const values: string[] = [];
  let at = 0;
  for (const column of columns) {
    const cell = cells[at];
    if (cell?.column === column) {
      values.push(cleanLine(cell.text));
      at++;
    } else values.push('');
  }
  return values;
}

/** Cells scattered over many columns would make a table of mostly empty cells. */
const isSparse = (rows: readonly SheetRow[], columns: readonly number[]): boolean =>
  columns.length > 30 && rows.reduce((sum, { cells }) => sum + cells.length, 0) < 0.1 * rows.length * columns.length;

const namedCells = ({ cells }: SheetRow, header: Header | undefined): string =>
  cells
    .map(({ column, text }) => {
      const name = cleanLine(header?.get(column) ?? '');
      return name === '' ? cleanLine(text) : `${name}: ${cleanLine(text)}`;
    })
    .join('; ');

/** The first row, when it looks like names rather than data. */
function headerOf(rows: readonly SheetRow[], columns: readonly number[]): Header | undefined {
  const names = rows[0]?.cells ?? [];
  if (rows.length < 2 || names.length < Math.max(2, 0.6 * columns.length)) return undefined;
  // One may be a number: some programs name the column of row numbers 0.
  const numbers = names.filter(({ text }) => isNumber(text)).length;
  if (names.some(({ text }) => text.length > 120) || numbers > (names.length > 3 ? 1 : 0)) return undefined;
  return new Map(names.map(({ column, text }) => [column, text]));
}

const hasNumbers = (rows: readonly SheetRow[]): boolean =>
  rows.slice(0, 50).some(({ cells }) => cells.some(({ text }) => isNumber(text)));

/** Years are as often column names as data; they count as names. */
const isNumber = (text: string): boolean =>
  /\d/.test(text) && /^[-+(]?\p{Sc}?\s?[\d.,'\s]*\d\s?[%\p{Sc})]?$/u.test(text) && !/^(?:19|20)\d\d$/.test(text);
