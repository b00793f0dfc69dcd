import { dateFromSerial, format, getFormatDateInfo } from 'numfmt';

/** Built-in formats by number (ECMA-376 part 1, 18.8.30). */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
};

const GENERAL = 'General';

export const builtInFormat = (id: number): string => {
  // Built-in date formats of the East Asian versions of Excel.
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'm/d/yyyy';
  return BUILT_IN[id] ?? GENERAL;
};

/** Formats a cell's number as the sheet shows it, but dates always as `2024-01-31`, which is unambiguous. */
export type NumberFormatter = (value: number, pattern: string) => string;

/** `isFrom1904`: the workbook counts days from 1904, as old Macintosh workbooks do. */
export function createNumberFormatter(isFrom1904: boolean): NumberFormatter {
  const kinds = new Map<string, FormatKind>();
  return (value, pattern) => {
    let kind = kinds.get(pattern);
    if (kind === undefined) {
      kind = kindOf(pattern);
      kinds.set(pattern, kind);
    }
    const days = isFrom1904 ? value + 1_462 : value;
    const isDay = days >= 0 && days < MAX_DAY;
    switch (kind) {
      case 'general':
        return general(value);
      case 'day':
        return isDay ? isoDate(days) : general(value);
      case 'moment':
        return isDay ? isoDateTime(days) : general(value);
      case 'time':
        return isDay ? shown(days, pattern) : general(value);
      case 'number':
        return shown(value, pattern);
    }
  };
}

/** The last day of the year 9999. */
const MAX_DAY = 2_958_466;

type FormatKind = 'general' | 'number' | 'day' | 'moment' | 'time';

function kindOf(pattern: string): FormatKind {
  if (pattern === '' || pattern === '@' || /^general$/i.test(pattern)) return 'general';
  try {
    const { year, month, day, hours } = getFormatDateInfo(pattern);
    if (year && month && day) return hours ? 'moment' : 'day';
    return year || month || day || hours ? 'time' : 'number';
  } catch {
    return 'general';
  }
}

function shown(value: number, pattern: string): string {
  try {
    const text = format(pattern, value).trim();
    return text === '' || /^#+$/.test(text) ? general(value) : text;
  } catch {
    return general(value);
  }
}

/** A cell keeps fifteen digits; further ones are floating-point noise. */
const general = (value: number): string => String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));

const two = (value: number): string => String(value).padStart(2, '0');

function isoDate(days: number): string {
  const [year = 0, month = 1, day = 1] = dateFromSerial(days);
  return `${year}-${two(month)}-${two(day)}`;
}

function isoDateTime(days: number): string {
  const [, , , hours = 0, minutes = 0, seconds = 0] = dateFromSerial(days);
  const time = `${two(hours)}:${two(minutes)}${seconds === 0 ? '' : `:${two(seconds)}`}`;
  return `${isoDate(days)} ${time}`;
}
