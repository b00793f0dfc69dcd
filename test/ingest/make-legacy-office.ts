import { makeCompoundFile } from './make-compound.ts';

const record = (type: number, ...parts: readonly (Uint8Array | string)[]): Buffer => {
  const data = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return Buffer.concat([shorts(type, data.length), data]);
};
const shorts = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16LE(value & 0xffff, index * 2);
  return buffer;
};
const longs = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value >>> 0, index * 4);
  return buffer;
};
const double = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleLE(value);
  return buffer;
};
const END = record(0x0a);
const begin = (kind: number): Buffer => record(0x809, shorts(0x600, kind, 0, 0), longs(0, 0));
/** A string with its length in two bytes, in UTF-16 when necessary. */
const text = (value: string): Buffer => {
  const isWide = [...value].some((character) => character > '\u00ff');
  return Buffer.concat([
    shorts(value.length),
    Buffer.from([isWide ? 1 : 0]),
    Buffer.from(value, isWide ? 'utf16le' : 'latin1'),
  ]);
};

export interface LegacySheet {
  readonly name: string;
  readonly isHidden?: boolean;
  readonly records: readonly Buffer[];
}

export const legacyCells = {
  shared: (row: number, column: number, index: number) => record(0xfd, shorts(row, column, 0), longs(index)),
  number: (row: number, column: number, value: number, style = 0) =>
    record(0x203, shorts(row, column, style), double(value)),
  /** Packed integers of one row. */
  packed: (row: number, column: number, values: readonly number[]) =>
    record(
      0xbd,
      shorts(row, column),
      ...values.map((value) => Buffer.concat([shorts(0), longs((value << 2) | 2)])),
      shorts(column + values.length - 1),
    ),
  truth: (row: number, column: number, value: boolean) =>
    record(0x205, shorts(row, column, 0), Buffer.from([value ? 1 : 0, 0])),
  /** A formula with a text result. */
  formula: (row: number, column: number, result: string) =>
    Buffer.concat([
      record(0x06, shorts(row, column, 0), Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(8)),
      record(0x207, text(result)),
    ]),
  merged: (top: number, bottom: number, left: number, right: number) =>
    record(0xe5, shorts(1, top, bottom, left, right)),
};

/** A workbook as Excel 97 writes it; `format` is the number format of style 1. */
export function makeXls(
  sheets: readonly LegacySheet[],
  {
    strings = [],
    format = '0%',
    head = [],
  }: { strings?: readonly string[]; format?: string; head?: readonly Buffer[] } = {},
): Uint8Array {
  const bodies = sheets.map(({ records }) => Buffer.concat([begin(0x10), ...records, END]));
  const globals = (offsets: readonly number[]) =>
    Buffer.concat([
      begin(0x05),
      ...head,
      record(0x41e, shorts(200), text(format)),
      record(0xe0, shorts(0, 0)),
      record(0xe0, shorts(0, 200)),
      ...sheets.map(({ name, isHidden }, index) =>
        record(0x85, longs(offsets[index] ?? 0), Buffer.from([isHidden === true ? 1 : 0, 0, name.length, 0]), name),
      ),
      stringTable(strings),
      END,
    ]);
  let offset = globals([]).length;
  const offsets = bodies.map((body) => {
    const start = offset;
    offset += body.length;
    return start;
  });
  return makeCompoundFile({ Workbook: Buffer.concat([globals(offsets), ...bodies]) });
}

/** The shared strings, in records of at most 8,224 bytes; a split string repeats its encoding flag. */
function stringTable(strings: readonly string[]): Buffer {
  const records: Buffer[] = [];
  let open = longs(strings.length, strings.length);
  const close = () => {
    records.push(record(records.length === 0 ? 0xfc : 0x3c, open));
    open = Buffer.alloc(0);
  };
  for (const value of strings) {
    const whole = text(value);
    const width = whole[2] === 1 ? 2 : 1;
    const room = 8_224 - open.length;
    if (whole.length <= room) {
      open = Buffer.concat([open, whole]);
      continue;
    }
    // The length and the first character must be in the same record.
    const kept = room < 3 + width ? 0 : 3 + Math.floor((room - 3) / width) * width;
    open = Buffer.concat([open, whole.subarray(0, kept)]);
    close();
    open = kept === 0 ? whole : Buffer.concat([whole.subarray(2, 3), whole.subarray(kept)]);
  }
  close();
  return Buffer.concat(records);
}

/** The record that marks a workbook as encrypted. */
export const encryptedRecord = record(0x2f, shorts(0, 0, 0));

export interface LegacyParagraph {
  readonly text: string;
  /** 1 to 9 for headings. */
  readonly style?: number;
  /** A table cell, or the mark that ends a row. */
  readonly end?: 'cell' | 'row';
}

/** A document as Word 97 writes it: one piece of text, one page of paragraph properties. */
export function makeDoc(paragraphs: readonly LegacyParagraph[], { flags = 0 } = {}): Uint8Array {
  const start = 0x800;
  const marked = paragraphs.map(({ text: words, end }) => words + (end === undefined ? '\r' : '\u0007'));
  const content = Buffer.from(marked.join(''), 'utf16le');
  const main = Buffer.alloc(start + Math.ceil(content.length / 512) * 512 + 512);
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0x0200 | flags, 0x0a);
  main.writeUInt32LE(content.length / 2, 0x4c);
  content.copy(main, start);

  const page = main.length - 512;
  const properties: Buffer[] = [];
  let place = 510;
  let at = start;
  main.writeUInt32LE(at, page);
  for (const [index, words] of marked.entries()) {
    const { style = 0, end } = paragraphs[index] ?? { text: '' };
    at += words.length * 2;
    main.writeUInt32LE(at, page + (index + 1) * 4);
    const changes =
      end === undefined
        ? Buffer.alloc(0)
        : Buffer.concat([shorts(0x2416), Buffer.from([1]), shorts(0x2417), Buffer.from([end === 'row' ? 1 : 0])]);
    const all = Buffer.concat([shorts(style), changes]);
    const padded =
      all.length % 2 === 0
        ? Buffer.concat([Buffer.from([0, all.length / 2]), all])
        : Buffer.concat([Buffer.from([(all.length + 1) / 2]), all]);
    place -= padded.length + (padded.length % 2);
    padded.copy(main, page + place);
    properties.push(Buffer.from([place / 2]));
  }
  for (const [index, property] of properties.entries())
    property.copy(main, page + (paragraphs.length + 1) * 4 + index * 13);
  main.writeUInt8(paragraphs.length, page + 511);

  const pieces = Buffer.concat([longs(0, content.length / 2), shorts(0), longs(start), shorts(0)]);
  const clx = Buffer.concat([Buffer.from([2]), longs(pieces.length), pieces]);
  const pages = longs(start, at, page / 512);
  main.writeUInt32LE(0, 0x01a2);
  main.writeUInt32LE(clx.length, 0x01a6);
  main.writeUInt32LE(clx.length, 0x0102);
  main.writeUInt32LE(pages.length, 0x0106);
  return makeCompoundFile({ WordDocument: main, '1Table': Buffer.concat([clx, pages]) });
}

const pptRecord = (type: number, data: Buffer, { instance = 0, isContainer = false } = {}): Buffer =>
  Buffer.concat([shorts((instance << 4) | (isContainer ? 0xf : 0), type), longs(data.length), data]);
const container = (type: number, parts: readonly Buffer[], instance = 0): Buffer =>
  pptRecord(type, Buffer.concat(parts), { instance, isContainer: true });
const textParts = (kind: number, words: string): Buffer[] => [
  pptRecord(0x0f9f, longs(kind)),
  pptRecord(0x0fa0, Buffer.from(words.replaceAll('\n', '\r'), 'utf16le')),
];

export interface LegacySlide {
  readonly title?: string;
  readonly box?: string;
  readonly notes?: string;
}

/** A presentation as PowerPoint 97 writes it: titles in the outline, boxes on the slides. */
export function makePpt(slides: readonly LegacySlide[]): Uint8Array {
  const slideIds = slides.map((_, index) => 256 + index);
  const parts: Buffer[] = [];
  const places: number[] = [];
  let length = 0;
  const add = (part: Buffer): number => {
    parts.push(part);
    places.push(length);
    length += part.length;
    return places.length;
  };
  const shapes = (kind: number, words: string | undefined) =>
    words === undefined ? [] : [container(0x040c, [container(0xf00d, textParts(kind, words))])];
  const slideParts = slides.map(({ box }) => add(container(0x03ee, shapes(4, box))));
  const noteParts = slides.map(({ notes }, index) =>
    notes === undefined
      ? undefined
      : add(container(0x03f0, [pptRecord(0x03f1, longs(slideIds[index] ?? 0, 0)), ...shapes(2, notes)])),
  );
  const entry = (part: number, id: number) => pptRecord(0x03f3, longs(part, 0, 0, id, 0));
  const documentPart = add(
    container(0x03e8, [
      container(
        0x0ff0,
        slides.flatMap(({ title }, index) => [
          entry(slideParts[index] ?? 0, slideIds[index] ?? 0),
          ...(title === undefined ? [] : textParts(0, title)),
        ]),
      ),
      container(
        0x0ff0,
        noteParts.flatMap((part, index) => (part === undefined ? [] : [entry(part, slideIds[index] ?? 0)])),
        2,
      ),
    ]),
  );
  const directory = pptRecord(0x1772, longs((places.length << 20) | 1, ...places));
  const directoryPlace = length;
  const edit = pptRecord(0x0ff5, longs(0, 0, 0, directoryPlace, documentPart, 0, 0));
  const user = pptRecord(0x0ff6, longs(20, 0xe391c05f, directoryPlace + directory.length, 0, 0));
  return makeCompoundFile({ 'PowerPoint Document': Buffer.concat([...parts, directory, edit]), 'Current User': user });
}
