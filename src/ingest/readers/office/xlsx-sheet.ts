import type { PackageInput } from '../containers/zip-package.ts';
import { attributeOf, streamXml, type XmlEvents } from '../xml/xml.ts';
import { createNumberFormatter } from './number-format.ts';
import type { MergedCells, Sheet, SheetBudget, SheetCell, SheetRow } from './sheet-rows.ts';
import { decodeEscapes, type WorkbookStyles } from './xlsx-parts.ts';

export interface SheetContext extends WorkbookStyles {
  readonly isFrom1904: boolean;
  readonly strings: readonly string[];
  readonly budget: SheetBudget;
}

type Attributes = Readonly<Record<string, string>>;

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  formula: string;
}

const MAX_MERGED = 100_000;

/** The non-empty cells of a worksheet, read as a stream; its declared dimensions are not trusted. */
export async function readSheetPart(
  { file, fileName, signal }: PackageInput,
  part: string,
  context: SheetContext,
): Promise<Pick<Sheet, 'rows' | 'merged'>> {
  const reader = new SheetReader(context);
  await streamXml({ pieces: file.stream(part), fileName, signal }, reader);
  return { rows: reader.end(), merged: reader.merged };
}

class SheetReader implements XmlEvents {
  readonly merged: MergedCells[] = [];
  readonly #budget: SheetBudget;
  readonly #toText: (cell: OpenCell) => string;
  readonly #rows: SheetRow[] = [];
  /** Index of the current row. */
  #index = -1;
  #cells: SheetCell[] = [];
  #column = -1;
  #cell: OpenCell | undefined;
  /** Where the text that follows belongs. */
  #into: 'value' | 'formula' | undefined;
  #isPhonetic = false;

  constructor(context: SheetContext) {
    this.#budget = context.budget;
    this.#toText = cellTexts(context);
  }

  open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'row': {
        const number = Number(attributeOf(attributes, 'r') ?? Number.NaN);
        this.#index = Number.isInteger(number) && number > 0 ? number - 1 : this.#index + 1;
        this.#column = -1;
        return;
      }
      case 'c':
        this.#openCell(attributes);
        return;
      case 'v':
        this.#into = 'value';
        return;
      case 't':
        this.#into = this.#isPhonetic ? undefined : 'value';
        return;
      case 'f':
        this.#into = 'formula';
        return;
      case 'rPh':
        this.#isPhonetic = true;
        return;
      case 'mergeCell': {
        const area = areaOf(attributeOf(attributes, 'ref') ?? '');
        if (area !== undefined && this.merged.length < MAX_MERGED) this.merged.push(area);
      }
    }
  }

  text(data: string): void {
    if (this.#cell !== undefined && this.#into !== undefined) this.#cell[this.#into] += data;
  }

  close(name: string): void {
    switch (name) {
      case 'v':
      case 't':
      case 'f':
        this.#into = undefined;
        return;
      case 'rPh':
        this.#isPhonetic = false;
        return;
      case 'c':
        if (this.#cell !== undefined) this.#closeCell(this.#cell);
        this.#cell = undefined;
        return;
      case 'row':
        this.#closeRow();
    }
  }

  /** The rows, in order. */
  end(): readonly SheetRow[] {
    this.#closeRow();
    const rows = this.#rows;
    return rows.every((row, at) => at === 0 || row.index > (rows[at - 1]?.index ?? -1)) ? rows : inOrder(rows);
  }

  #openCell(attributes: Attributes): void {
    this.#column = columnOf(attributeOf(attributes, 'r')) ?? this.#column + 1;
    this.#cell = {
      column: this.#column,
      type: attributeOf(attributes, 't') ?? 'n',
      style: Number(attributeOf(attributes, 's') ?? 0),
      value: '',
      formula: '',
    };
  }

  #closeCell(cell: OpenCell): void {
    const text = this.#toText(cell);
    if (text.trim() === '') return;
    this.#budget.take(text);
    this.#cells.push({ column: cell.column, text });
  }

  #closeRow(): void {
    const cells = this.#cells;
    if (cells.length > 0) this.#rows.push({ index: this.#index, cells: isRising(cells) ? cells : byColumn(cells) });
    this.#cells = [];
  }
}

function cellTexts({ strings, patterns, isFrom1904 }: SheetContext): (cell: OpenCell) => string {
  const formatNumber = createNumberFormatter(isFrom1904);
  return ({ type, style, value, formula }) => {
    switch (type) {
      case 's':
        return strings[Number(value)] ?? '';
      case 'str':
      case 'inlineStr':
        return decodeEscapes(value);
      case 'b':
        return value === '' ? '' : value === '0' ? 'FALSE' : 'TRUE';
      case 'd':
        return value.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace('T', ' ');
      case 'e':
        return value;
      default: {
        // Programs that write formulas without computing them leave no value.
        if (value.trim() === '') return formula === '' ? '' : `=${formula}`;
        const number = Number(value);
        return Number.isFinite(number) ? formatNumber(number, patterns[style] ?? 'General') : value;
      }
    }
  };
}

/** `B` of `B7` as 1; undefined when it is not a cell reference. */
function columnOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  let column = 0;
  for (let at = 0; at < name.length && at < 4; at++) {
    const letter = name.charCodeAt(at) & 0xdf;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column === 0 || column > 16_384 ? undefined : column - 1;
}

function areaOf(reference: string): MergedCells | undefined {
  const [, first, top, last, bottom] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(reference) ?? [];
  const left = columnOf(first);
  const right = columnOf(last);
  if (left === undefined || right === undefined) return undefined;
  return { top: Number(top) - 1, left, bottom: Number(bottom) - 1, right };
}

const isRising = (cells: readonly SheetCell[]): boolean =>
  cells.every(({ column }, at) => at === 0 || column > (cells[at - 1]?.column ?? -1));

/** The last value of a repeated cell counts. */
const byColumn = (cells: readonly SheetCell[]): SheetCell[] =>
  [...new Map(cells.map((cell) => [cell.column, cell])).values()].sort((a, b) => a.column - b.column);

/** Files from other programs may have unsorted rows; the second row with the same number is taken as the next row. */
const inOrder = (rows: readonly SheetRow[]): SheetRow[] => {
  const sorted = rows.toSorted((a, b) => a.index - b.index);
  let last = -1;
  return sorted.map((row) => {
    last = Math.max(last + 1, row.index);
    return last === row.index ? row : { ...row, index: last };
  });
};
