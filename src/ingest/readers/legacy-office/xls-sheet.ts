import { createNumberFormatter } from '../office/number-format.ts';
import type { MergedCells, Sheet, SheetBudget, SheetCell } from '../office/sheet-rows.ts';
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
  const { strings, patterns, isFrom1904, isWide, decode } = workbook;
  const formatNumber = createNumberFormatter(isFrom1904);
  const rows = new Map<number, Map<number, string>>();
  const merged: MergedCells[] = [];
  const set = (row: number, column: number, text: string) => {
    if (text.trim() === '') return;
    budget.take(text);
    let cells = rows.get(row);
    if (cells === undefined) {
      cells = new Map();
      rows.set(row, cells);
    }
    cells.set(column, text);
  };
  const shown = (value: number, style: number): string => formatNumber(value, patterns[style] ?? 'General');
  // Charts within a sheet are nested substreams.
  let depth = 0;
  let formula: { readonly row: number; readonly column: number } | undefined;

  for (const record of biffRecords(stream, offset)) {
    const { type, data } = record;
    if (type === RECORD.begin) depth++;
    if (type === RECORD.end && --depth <= 0) break;
    if (depth !== 1 || data.length < 6) {
      if (type === RECORD.formulaText && depth === 1 && formula !== undefined)
        set(formula.row, formula.column, textOf(record, 0));
      continue;
    }
    const row = data.readUInt16LE(0);
    const column = data.readUInt16LE(2);
    const style = data.readUInt16LE(4);
    switch (type) {
      case RECORD.sharedText:
        if (data.length >= 10) set(row, column, strings[data.readUInt32LE(6)] ?? '');
        break;
      case RECORD.text:
      case RECORD.richText:
        set(row, column, textOf(record, 6));
        break;
      case RECORD.number:
        if (data.length >= 14) set(row, column, shown(data.readDoubleLE(6), style));
        break;
      case RECORD.packed:
        if (data.length >= 10) set(row, column, shown(unpack(data.readInt32LE(6)), style));
        break;
      case RECORD.packedRow:
        for (let at = 4; at + 8 <= data.length; at += 6)
          set(row, column + (at - 4) / 6, shown(unpack(data.readInt32LE(at + 2)), data.readUInt16LE(at)));
        break;
      case RECORD.boolean:
        if (data.length >= 8)
          set(row, column, data[7] === 1 ? (ERRORS[data[6] ?? 0] ?? '') : data[6] === 1 ? 'TRUE' : 'FALSE');
        break;
      case RECORD.formula:
        formula = { row, column };
        if (data.length >= 14)
          set(
            row,
            column,
            formulaResult(data, (value) => shown(value, style)),
          );
        break;
      case RECORD.formulaText:
        if (formula !== undefined) set(formula.row, formula.column, textOf(record, 0));
        break;
      case RECORD.merged:
        for (let at = 2; at + 8 <= data.length; at += 8) merged.push(areaAt(data, at));
        break;
    }
  }
  return {
    rows: [...rows]
      .sort(([a], [b]) => a - b)
      .map(([index, cells]) => ({
        index,
        cells: [...cells].sort(([a], [b]) => a - b).map(([column, text]): SheetCell => ({ column, text })),
      })),
    merged,
  };

  function textOf({ data }: BiffRecord, at: number): string {
    return isWide
      ? wideText(data, at, 2)
      : at + 2 > data.length
        ? ''
        : decode(data.subarray(at + 2, at + 2 + data.readUInt16LE(at)));
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
