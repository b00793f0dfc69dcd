import type { Json, Metadata } from '../../../documents/document.ts';
import { cleanText } from '../encoding/clean-text.ts';

export type PictureFacts = Metadata & {
  readonly width?: number;
  readonly height?: number;
  readonly title?: string;
};

/** Tag numbers → our names. */
const READ_TAGS: Readonly<Record<number, string>> = {
  256: 'width',
  257: 'height',
  270: 'title',
  271: 'camera_maker',
  272: 'camera',
  306: 'modified',
  315: 'author',
  33432: 'copyright',
  36867: 'created',
};
const GPS_TAGS: Readonly<Record<number, string>> = { 1: 'ns', 2: 'latitude', 3: 'ew', 4: 'longitude' };
const EXIF_LIST = 0x8769;
const GPS_LIST = 0x8825;
/** Byte size of each value type. */
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8];
const MAX_ENTRIES = 500;

type Values = Map<string, string | readonly number[]>;

/** Reads the tags of a TIFF structure, which EXIF uses in other formats too. RangeError when truncated. */
export function readExif(bytes: Buffer): PictureFacts {
  const isLittle = bytes.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const values: Values = new Map();
  const places: Values = new Map();
  const readList = (start: number, names: Readonly<Record<number, string>>, into: Values, depth: number): void => {
    if (start === 0 || depth > 2) return;
    for (let index = 0; index < Math.min(MAX_ENTRIES, short(start)); index++) {
      const at = start + 2 + index * 12;
      const tag = short(at);
      const kind = short(at + 2);
      const count = long(at + 4);
      if (tag === EXIF_LIST) readList(long(at + 8), READ_TAGS, values, depth + 1);
      else if (tag === GPS_LIST) readList(long(at + 8), GPS_TAGS, places, depth + 1);
      const name = names[tag];
      const size = (SIZES[kind] ?? 0) * count;
      if (name === undefined || size === 0 || size > 4_000) continue;
      const from = size <= 4 ? at + 8 : long(at + 8);
      if (from + size > bytes.length) continue;
      into.set(name, kind === 2 ? textIn(bytes, from, size) : numbersIn({ kind, count, from, short, long }));
    }
  };
  readList(long(4), READ_TAGS, values, 0);
  const facts: Record<string, Json> = {};
  for (const [name, value] of values) {
    if (typeof value === 'string') {
      const shown = /^\d{4}:\d{2}:\d{2} /.test(value) ? value.replace(':', '-').replace(':', '-') : value;
      if (shown !== '') facts[name] = shown;
    } else if (value[0] !== undefined) facts[name] = value[0];
  }
  for (const [name, mark] of [
    ['latitude', 'ns'],
    ['longitude', 'ew'],
  ] as const) {
    const degrees = degreesOf(places.get(name));
    const side = places.get(mark);
    if (degrees !== undefined) facts[name] = side === 'S' || side === 'W' ? -degrees : degrees;
  }
  return facts;
}

const textIn = (bytes: Buffer, from: number, size: number): string =>
  cleanText(bytes.toString('utf8', from, from + size).replace(/\0[\s\S]*$/, '')).trim();

interface NumbersAt {
  readonly kind: number;
  readonly count: number;
  readonly from: number;
  short(at: number): number;
  long(at: number): number;
}

function numbersIn({ kind, count, from, short, long }: NumbersAt): number[] {
  const size = SIZES[kind] ?? 1;
  return Array.from({ length: Math.min(count, 8) }, (_, index) => {
    const at = from + index * size;
    if (kind === 3 || kind === 8) return short(at);
    if (kind === 4 || kind === 9) return long(at);
    return kind === 5 || kind === 10 ? long(at) / (long(at + 4) || 1) : 0;
  });
}

/** Converts degrees, minutes and seconds to degrees. */
function degreesOf(value: string | readonly number[] | undefined): number | undefined {
  if (value === undefined || typeof value === 'string' || value.length < 3) return undefined;
  const [degrees = 0, minutes = 0, seconds = 0] = value;
  const sum = degrees + minutes / 60 + seconds / 3_600;
  return sum > 0 && sum <= 180 ? Math.round(sum * 1e6) / 1e6 : undefined;
}
