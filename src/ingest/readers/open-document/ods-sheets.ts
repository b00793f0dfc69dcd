import type { PackageInput } from '../containers/zip-package.ts';
import {
  createSheetBudget,
  type MergedCells,
  type Sheet,
  type SheetCell,
  type SheetRow,
} from '../office/sheet-rows.ts';
import { streamXml } from '../xml/xml.ts';

type Attributes = Readonly<Record<string, string>>;

interface OpenCell {
  readonly attributes: Attributes;
  readonly repeated: number;
  paragraphs: number;
  text: string;
}

/** Elements whose text is not the cell's: notes, drawings, tracked changes. */
const SKIPPED_ELEMENTS = new Set(['annotation', 'frame', 'custom-shape', 'tracked-changes', 'shapes', 'forms']);
/** Limit on rows: beyond it, repeated cells extend to the end of the sheet. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

/** The non-empty cells of all sheets, read as a stream. Repeated cells are expanded only when they are non-empty. */
export async function readOdsSheets({ file, fileName, signal }: PackageInput): Promise<Sheet[]> {
  const budget = createSheetBudget(fileName);
  const hiddenStyles = new Set<string>();
  const sheets: Sheet[] = [];
  let style = '';
  let sheet: { name: string; isHidden: boolean; rows: SheetRow[]; merged: MergedCells[] } | undefined;
  let index = 0;
  let rowsRepeated = 1;
  let cells: SheetCell[] = [];
  let column = 0;
  let cell: OpenCell | undefined;
  let aside = 0;
  let isParagraph = 0;

  const closeCell = ({ attributes, repeated, text }: OpenCell) => {
    const shown = shownValue(attributes, text);
    if (shown.trim() !== '') {
      const spanned = repeatOf(attributes['table:number-columns-spanned'], MAX_COLUMNS);
      const rows = repeatOf(attributes['table:number-rows-spanned'], MAX_ROWS);
      if (spanned > 1 || rows > 1)
        sheet?.merged.push({ top: index, left: column, bottom: index + rows - 1, right: column + spanned - 1 });
      for (let offset = 0; offset < repeated && column + offset < MAX_COLUMNS; offset++) {
        budget.take(shown);
        cells.push({ column: column + offset, text: shown });
      }
    }
    column += repeated;
  };
  const closeRow = () => {
    if (cells.length > 0) {
      for (let offset = 0; offset < rowsRepeated && index + offset < MAX_ROWS; offset++) {
        if (offset > 0) for (const { text } of cells) budget.take(text);
        sheet?.rows.push({ index: index + offset, cells });
      }
    }
    index += rowsRepeated;
  };

  await streamXml(
    { pieces: file.stream('content.xml'), fileName, signal },
    {
      open(name, attributes) {
        if (aside > 0 || SKIPPED_ELEMENTS.has(name)) {
          aside++;
          return;
        }
        switch (name) {
          case 'style':
            style = attributes['style:name'] ?? '';
            return;
          case 'table-properties':
            if (attributes['table:display'] === 'false') hiddenStyles.add(style);
            return;
          case 'table':
            sheet = {
              name: attributes['table:name'] ?? `Sheet ${sheets.length + 1}`,
              isHidden: hiddenStyles.has(attributes['table:style-name'] ?? ''),
              rows: [],
              merged: [],
            };
            index = 0;
            return;
          case 'table-row':
            cells = [];
            column = 0;
            rowsRepeated = repeatOf(attributes['table:number-rows-repeated'], MAX_ROWS);
            return;
          case 'table-cell':
          case 'covered-table-cell':
            cell = {
              attributes,
              repeated: repeatOf(attributes['table:number-columns-repeated'], MAX_COLUMNS),
              paragraphs: 0,
              text: '',
            };
            return;
          case 'p':
            if (cell !== undefined && cell.paragraphs++ > 0) cell.text += '\n';
            isParagraph++;
            return;
          case 's':
          case 'tab':
          case 'line-break':
            if (cell !== undefined) cell.text += ' ';
        }
      },
      text(data) {
        if (aside === 0 && isParagraph > 0 && cell !== undefined) cell.text += data;
      },
      close(name) {
        if (aside > 0) aside--;
        else if (name === 'p') isParagraph--;
        else if (name === 'table-row') closeRow();
        else if ((name === 'table-cell' || name === 'covered-table-cell') && cell !== undefined) {
          closeCell(cell);
          cell = undefined;
        } else if (name === 'table' && sheet !== undefined) {
          sheets.push(sheet);
          sheet = undefined;
        }
      },
    },
  );
  return sheets;
}

const repeatOf = (value: string | undefined, most: number): number =>
  Math.min(most, Math.max(1, Number.parseInt(value ?? '1', 10) || 1));

/** The displayed text; dates in ISO form, and values saved without their text. */
function shownValue(attributes: Attributes, text: string): string {
  const date = attributes['office:date-value'];
  const value = attributes['office:value'];
  switch (attributes['office:value-type']) {
    case 'date':
      // A month or a year alone is written as displayed.
      return date === undefined || !/\d\D+\d/.test(text)
        ? text || (date ?? '')
        : date.replace(/T00:00:00$/, '').replace('T', ' ');
    case 'boolean':
      return text || (attributes['office:boolean-value'] ?? '').toUpperCase();
    default:
      return text || attributes['office:string-value'] || value || '';
  }
}
