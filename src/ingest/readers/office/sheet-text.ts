import type { TextBuilder } from '../build-text.ts';
import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import { headerRowsOf, isNumber } from './sheet-header.ts';
import { fillMerged, type MergedCells, type Sheet, type SheetRow } from './sheet-rows.ts';

/** Writes a sheet: its name as a heading, and each region of consecutive non-empty rows as a table. */
export function addSheet(builder: TextBuilder, { name, isHidden, rows, merged }: Sheet): void {
  if (rows.length === 0) return;
  builder.add('heading', `${cleanText(name)}${isHidden ? ' (hidden sheet)' : ''}`, { level: 1 });
  let header: Header | undefined;
  for (const region of regionsOf(fillMerged(rows, merged))) header = addRegion(builder, { region, merged }, header);
}

interface Region {
  readonly region: readonly SheetRow[];
  /** Merged ranges of the whole sheet. */
  readonly merged: readonly MergedCells[];
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
function addRegion(builder: TextBuilder, { region, merged }: Region, above: Header | undefined): Header | undefined {
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
  const names = headerRowsOf(rows, merged);
  const own = headerOf(names, rows, columns);
  const continuesTable =
    above !== undefined &&
    columns.every((column) => above.has(column)) &&
    (own === undefined || !hasNumbers(rows.slice(names.length)));
  const header = continuesTable ? above : own;
  const body = continuesTable || own === undefined ? rows : rows.slice(names.length);
  if (isSparse(rows, columns)) builder.add('list', body.map((row) => namedCells(row, header)).join('\n'));
  else {
    const shown = continuesTable ? [...above.keys()] : columns;
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

/** The column names in the first rows, if they look like names and not data. Several rows are joined: `2023 Cars`. */
function headerOf(
  naming: readonly SheetRow[],
  rows: readonly SheetRow[],
  columns: readonly number[],
): Header | undefined {
  const header = new Map<number, string>();
  for (const { column, text } of naming.flatMap(({ cells }) => cells)) {
    const before = header.get(column);
    header.set(column, before === undefined || before === text ? text : `${before} ${text}`);
  }
  const names = [...header.values()];
  if (rows.length <= naming.length || names.length < Math.max(2, 0.6 * columns.length)) return undefined;
  // One name may be a number: some programs name the column of row numbers 0.
  const numbers = names.filter(isNumber).length;
  if (names.some((name) => name.length > 120) || numbers > (names.length > 3 ? 1 : 0)) return undefined;
  return header;
}

const hasNumbers = (rows: readonly SheetRow[]): boolean =>
  rows.slice(0, 50).some(({ cells }) => cells.some(({ text }) => isNumber(text)));
