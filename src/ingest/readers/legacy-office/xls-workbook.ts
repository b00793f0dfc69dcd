import iconv from 'iconv-lite';
import { ServiceError } from '../../../errors.ts';
import { builtInFormat } from '../office/number-format.ts';
import { type BiffRecord, biffRecords, createPieceReader } from './biff-records.ts';

export interface XlsWorkbook {
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean; readonly offset: number }[];
  readonly strings: readonly string[];
  /** The number format by style index. */
  readonly patterns: readonly string[];
  readonly isFrom1904: boolean;
  /** Text records are in a code page in Excel 5 and 95, and in UTF-16 later. */
  readonly isWide: boolean;
  readonly decode: (bytes: Buffer) => string;
}

const RECORD = {
  begin: 0x809,
  end: 0x0a,
  encrypted: 0x2f,
  codePage: 0x42,
  from1904: 0x22,
  sheet: 0x85,
  strings: 0xfc,
  format: 0x41e,
  style: 0xe0,
} as const;
const VERSION_97 = 0x600;

/** Data shared by all sheets. Throws `invalid_request` for an encrypted file or one that is not a workbook. */
export function readXlsWorkbook(stream: Buffer, fileName: string): XlsWorkbook {
  if (stream.length < 8 || stream.readUInt16LE(0) !== RECORD.begin)
    throw new ServiceError(
      'invalid_request',
      `${fileName} is not a workbook that can be read: its first record is missing.`,
    );
  const isWide = stream.readUInt16LE(4) >= VERSION_97;
  const sheets: { name: string; isHidden: boolean; offset: number }[] = [];
  const formats = new Map<number, string>();
  const styles: number[] = [];
  let strings: readonly string[] = [];
  let isFrom1904 = false;
  let codePage = 'cp1252';
  const decode = (bytes: Buffer): string => iconv.decode(bytes, codePage);
  for (const record of biffRecords(stream, 0)) {
    const { type, data } = record;
    if (type === RECORD.end) break;
    if (type === RECORD.encrypted) {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is encrypted and needs a password. Save it without one first.`,
      );
    }
    if (type === RECORD.codePage && data.length >= 2) codePage = codePageOf(data.readUInt16LE(0));
    else if (type === RECORD.from1904) isFrom1904 = data[0] === 1;
    else if (type === RECORD.style && data.length >= 4) styles.push(data.readUInt16LE(2));
    else if (type === RECORD.format && data.length >= 4)
      formats.set(data.readUInt16LE(0), isWide ? wideText(data, 2, 2) : decode(data.subarray(3, 3 + (data[2] ?? 0))));
    else if (type === RECORD.sheet && data.length >= 8 && data[5] === 0) {
      const name = isWide ? wideText(data, 6, 1) : decode(data.subarray(7, 7 + (data[6] ?? 0)));
      sheets.push({ name, isHidden: ((data[4] ?? 0) & 3) !== 0, offset: data.readUInt32LE(0) });
    } else if (type === RECORD.strings) strings = readStrings(record, fileName);
  }
  const patterns = styles.map((id) => formats.get(id) ?? builtInFormat(id));
  return { sheets, strings, patterns, isFrom1904, isWide, decode };
}

const codePageOf = (number: number): string => {
  const name = number === 0x8000 || number === 10_000 ? 'macroman' : `cp${number}`;
  return iconv.encodingExists(name) ? name : 'cp1252';
};

/** A string prefixed with its length in one or two bytes and a byte for its encoding. */
export function wideText(data: Buffer, at: number, lengthBytes: 1 | 2): string {
  if (at + lengthBytes + 1 > data.length) return '';
  const length = lengthBytes === 1 ? (data[at] ?? 0) : data.readUInt16LE(at);
  const start = at + lengthBytes + 1;
  const isWide = ((data[at + lengthBytes] ?? 0) & 1) !== 0;
  return isWide ? data.toString('utf16le', start, start + length * 2) : data.toString('latin1', start, start + length);
}

const IS_WIDE = 1;
const HAS_PHONETICS = 4;
const HAS_FORMATS = 8;

function readStrings({ pieces }: BiffRecord, fileName: string): string[] {
  const strings: string[] = [];
  const reader = createPieceReader(pieces, fileName);
  reader.long();
  const count = reader.long();
  try {
    while (strings.length < count) {
      const length = reader.short();
      const flags = reader.byte();
      const formats = (flags & HAS_FORMATS) === 0 ? 0 : reader.short();
      const phonetics = (flags & HAS_PHONETICS) === 0 ? 0 : reader.long();
      strings.push(reader.characters(length, (flags & IS_WIDE) !== 0));
      reader.skip(formats * 4 + phonetics);
    }
  } catch (error) {
    // The count in a damaged file may be wrong; strings read so far are kept.
    if (!(error instanceof ServiceError) || strings.length === 0) throw error;
  }
  return strings;
}
