import type { PackageInput } from '../containers/zip-package.ts';
import {
  createSheetBudget,
  type MergedCells,
  type Sheet,
  type SheetBudget,
  type SheetCell,
  type SheetRow,
} from '../office/sheet-rows.ts';
import { streamXml, type XmlEvents } from '../xml/xml.ts';

type Attributes = Readonly<Record<string, string>>;

interface OpenSheet extends Sheet {
  readonly rows: SheetRow[];
  readonly merged: MergedCells[];
}

interface OpenRow {
  readonly repeated: number;
  readonly cells: SheetCell[];
  /** Column of the next cell. */
  column: number;
}

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
  const reader = new OdsReader(createSheetBudget(fileName));
  await streamXml({ pieces: file.stream('content.xml'), fileName, signal }, reader);
  return reader.sheets;
}

class OdsReader implements XmlEvents {
  readonly sheets: Sheet[] = [];
  readonly #budget: SheetBudget;
  readonly #hiddenStyles = new Set<string>();
  #style = '';
  #sheet: OpenSheet | undefined;
  /** Index of the next row. */
  #index = 0;
  #row: OpenRow = { repeated: 1, cells: [], column: 0 };
  #cell: OpenCell | undefined;
  /** Depth within a skipped element. */
  #skipped = 0;
  #paragraphs = 0;

  constructor(budget: SheetBudget) {
    this.#budget = budget;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0 || SKIPPED_ELEMENTS.has(name)) {
      this.#skipped++;
      return;
    }
    switch (name) {
      case 'style':
        this.#style = attributes['style:name'] ?? '';
        return;
      case 'table-properties':
        if (attributes['table:display'] === 'false') this.#hiddenStyles.add(this.#style);
        return;
      case 'table':
        this.#openSheet(attributes);
        return;
      case 'table-row': {
        const repeated = repeatOf(attributes['table:number-rows-repeated'], MAX_ROWS);
        this.#row = { repeated, cells: [], column: 0 };
        return;
      }
      case 'table-cell':
      case 'covered-table-cell': {
        const repeated = repeatOf(attributes['table:number-columns-repeated'], MAX_COLUMNS);
        this.#cell = { attributes, repeated, paragraphs: 0, text: '' };
        return;
      }
      case 'p':
        if (this.#cell !== undefined && this.#cell.paragraphs++ > 0) this.#cell.text += '\n';
        this.#paragraphs++;
        return;
      case 's':
      case 'tab':
      case 'line-break':
        if (this.#cell !== undefined) this.#cell.text += ' ';
    }
  }

  text(data: string): void {
    if (this.#skipped === 0 && this.#paragraphs > 0 && this.#cell !== undefined) this.#cell.text += data;
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    switch (name) {
      case 'p':
        this.#paragraphs--;
        return;
      case 'table-cell':
      case 'covered-table-cell':
        if (this.#cell !== undefined) this.#closeCell(this.#cell);
        this.#cell = undefined;
        return;
      case 'table-row':
        this.#closeRow(this.#row);
        return;
      case 'table':
        if (this.#sheet !== undefined) this.sheets.push(this.#sheet);
        this.#sheet = undefined;
    }
  }

  #openSheet(attributes: Attributes): void {
    const name = attributes['table:name'] ?? `Sheet ${this.sheets.length + 1}`;
    const isHidden = this.#hiddenStyles.has(attributes['table:style-name'] ?? '');
    this.#sheet = { name, isHidden, rows: [], merged: [] };
    this.#index = 0;
  }

  #closeCell({ attributes, repeated, text }: OpenCell): void {
    const row = this.#row;
    const left = row.column;
    row.column += repeated;
    const shown = shownValue(attributes, text);
    if (shown.trim() === '') return;
    const columns = repeatOf(attributes['table:number-columns-spanned'], MAX_COLUMNS);
    const rows = repeatOf(attributes['table:number-rows-spanned'], MAX_ROWS);
    const top = this.#index;
    if (columns > 1 || rows > 1) {
      this.#sheet?.merged.push({ top, left, bottom: top + rows - 1, right: left + columns - 1 });
    }
    for (let column = left; column < row.column && column < MAX_COLUMNS; column++) {
      this.#budget.take(shown);
      row.cells.push({ column, text: shown });
    }
  }

  #closeRow({ cells, repeated }: OpenRow): void {
    const first = this.#index;
    this.#index += repeated;
    if (cells.length === 0) return;
    for (let index = first; index < this.#index && index < MAX_ROWS; index++) {
      if (index > first) for (const { text } of cells) this.#budget.take(text);
      this.#sheet?.rows.push({ index, cells });
    }
  }
}

const repeatOf = (value: string | undefined, max: number): number =>
  Math.min(max, Math.max(1, Number.parseInt(value ?? '1', 10) || 1));

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
