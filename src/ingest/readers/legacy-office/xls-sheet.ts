import { createNumberFormatter } from '../office/number-format.ts';
import type { MergedCells, Sheet, SheetBudget, SheetCell, SheetRow } from '../office/sheet-rows.ts';
import { type BiffRecord, biffRecords } from './biff-records.ts';
import { wideText, type XlsWorkbook } from './xls-workbook.ts';

const RECORD = {
  end: 0x0a,
  formula: 0x06,
  formulaText: 0x207,
  sharedText: 0xfd,
  text: 0x204,
  richText: 0xd6,
  number: 0x203,
  packed: 0x27e,
  packedRow: 0xbd,
  boolean: 0x205,
  merged: 0xe5,
  begin: 0x809,
} as const;

const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
};

/** The non-empty cells of the sheet that begins at an offset of the workbook's stream. */
export function readXlsSheet(
  stream: Buffer,
  offset: number,
  { workbook, budget }: { readonly workbook: XlsWorkbook; readonly budget: SheetBudget },
): Pick<Sheet, 'rows' | 'merged'> {
  const reader = new XlsSheetReader(workbook, budget);
  // Charts within a sheet are nested substreams.
  let depth = 0;
  for (const record of biffRecords(stream, offset)) {
    if (record.type === RECORD.begin) depth++;
    if (record.type === RECORD.end && --depth <= 0) break;
    if (depth === 1) reader.read(record);
  }
  return { rows: reader.rows(), merged: reader.merged };
}

interface Place {
  readonly row: number;
  readonly column: number;
}

class XlsSheetReader {
  readonly merged: MergedCells[] = [];
  readonly #workbook: XlsWorkbook;
  readonly #budget: SheetBudget;
  readonly #formatNumber: ReturnType<typeof createNumberFormatter>;
  readonly #rows = new Map<number, Map<number, string>>();
  /** Where the text of the last formula belongs, which follows in a record of its own. */
  #formula: Place | undefined;

  constructor(workbook: XlsWorkbook, budget: SheetBudget) {
    this.#workbook = workbook;
    this.#budget = budget;
    this.#formatNumber = createNumberFormatter(workbook.isFrom1904);
  }

  rows(): SheetRow[] {
    return [...this.#rows]
      .sort(([a], [b]) => a - b)
      .map(([index, cells]) => ({
        index,
        cells: [...cells].sort(([a], [b]) => a - b).map(([column, text]): SheetCell => ({ column, text })),
      }));
  }

  read(record: BiffRecord): void {
    const { type, data } = record;
    if (type === RECORD.formulaText) {
      if (this.#formula !== undefined) this.#set(this.#formula, this.#textOf(record, 0));
      return;
    }
    if (data.length < 6) return;
    if (type === RECORD.merged) {
      for (let at = 2; at + 8 <= data.length; at += 8) this.merged.push(areaAt(data, at));
      return;
    }
    const place = { row: data.readUInt16LE(0), column: data.readUInt16LE(2) };
    if (type === RECORD.packedRow) {
      for (let at = 4; at + 8 <= data.length; at += 6) {
        const column = place.column + (at - 4) / 6;
        this.#set({ ...place, column }, this.#shown(unpack(data.readInt32LE(at + 2)), data.readUInt16LE(at)));
      }
      return;
    }
    if (type === RECORD.formula) this.#formula = place;
    const text = this.#cellText(record);
    if (text !== undefined) this.#set(place, text);
  }

  /** The displayed text of a cell; undefined if the record holds none. */
  #cellText(record: BiffRecord): string | undefined {
    const { type, data } = record;
    const style = data.readUInt16LE(4);
    switch (type) {
      case RECORD.sharedText:
        return data.length >= 10 ? this.#workbook.strings[data.readUInt32LE(6)] : undefined;
      case RECORD.text:
      case RECORD.richText:
        return this.#textOf(record, 6);
      case RECORD.number:
        return data.length >= 14 ? this.#shown(data.readDoubleLE(6), style) : undefined;
      case RECORD.packed:
        return data.length >= 10 ? this.#shown(unpack(data.readInt32LE(6)), style) : undefined;
      case RECORD.boolean:
        if (data.length < 8) return undefined;
        return data[7] === 1 ? ERRORS[data[6] ?? 0] : data[6] === 1 ? 'TRUE' : 'FALSE';
      case RECORD.formula:
        return data.length >= 14 ? formulaResult(data, (value) => this.#shown(value, style)) : undefined;
      default:
        return undefined;
    }
  }

  #set({ row, column }: Place, text: string): void {
    if (text.trim() === '') return;
    this.#budget.take(text);
    let cells = this.#rows.get(row);
    if (cells === undefined) {
      cells = new Map();
      this.#rows.set(row, cells);
    }
    cells.set(column, text);
  }

  #shown(value: number, style: number): string {
    return this.#formatNumber(value, this.#workbook.patterns[style] ?? 'General');
  }

  #textOf({ data }: BiffRecord, at: number): string {
    const { isWide, decode } = this.#workbook;
    if (isWide) return wideText(data, at, 2);
    return at + 2 > data.length ? '' : decode(data.subarray(at + 2, at + 2 + data.readUInt16LE(at)));
  }
}

const areaAt = (data: Buffer, at: number): MergedCells => ({
  top: data.readUInt16LE(at),
  bottom: data.readUInt16LE(at + 2),
  left: data.readUInt16LE(at + 4),
  right: data.readUInt16LE(at + 6),
});

/** A packed number (RK): an integer or the upper half of a double, in either case possibly in hundredths. */
function unpack(packed: number): number {
  const bits = Buffer.alloc(8);
  bits.writeInt32LE(packed & ~3, 4);
  const value = (packed & 2) === 0 ? bits.readDoubleLE(0) : packed >> 2;
  return (packed & 1) === 0 ? value : value / 100;
}

/** The cached result of a formula; a text follows in a separate record. */
function formulaResult(data: Buffer, shown: (value: number) => string): string {
  if (data.readUInt16LE(12) !== 0xffff) return shown(data.readDoubleLE(6));
  if (data[6] === 1) return data[8] === 1 ? 'TRUE' : 'FALSE';
  return data[6] === 2 ? (ERRORS[data[8] ?? 0] ?? '') : '';
}
