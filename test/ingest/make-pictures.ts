import { deflateSync } from 'node:zlib';
import { encodePng } from '../../src/ingest/readers/image/encode-png.ts';
import { pdfFile } from '../support/pdf-file.ts';

/** A grey picture of the given size. */
export const makePng = (width = 300, height = 200): Uint8Array =>
  encodePng({ data: new Uint8Array(width * height).fill(200), width, height, channels: 1 });

/** The bytes of a JPEG up to its image data: size and EXIF. */
export function makeJpeg(width: number, height: number, exif: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(19);
  frame.set([0xff, 0xc0, 0, 17, 8]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const segment = Buffer.alloc(10);
  segment.set([0xff, 0xe1]);
  segment.writeUInt16BE(exif.length + 8, 2);
  segment.write('Exif\0\0', 4, 'latin1');
  return Buffer.concat([Buffer.from([0xff, 0xd8]), segment, exif, frame, Buffer.from([0xff, 0xd9])]);
}

type Value = string | number | readonly number[];

/** TIFF tag lists: texts, numbers, and lists of fractions in thousandths. */
export function makeExif(tags: Readonly<Record<number, Value>>, gps: Readonly<Record<number, Value>> = {}): Uint8Array {
  const gpsStart = 8 + 2 + (Object.keys(tags).length + 1) * 12 + 4;
  let dataAt = gpsStart + 2 + Object.keys(gps).length * 12 + 4;
  const data: Buffer[] = [];
  const entryOf = (tag: number, kind: number, count: number, content: Buffer): Buffer => {
    const entry = Buffer.alloc(12);
    entry.writeUInt16LE(tag, 0);
    entry.writeUInt16LE(kind, 2);
    entry.writeUInt32LE(count, 4);
    if (content.length <= 4) content.copy(entry, 8);
    else {
      entry.writeUInt32LE(dataAt, 8);
      data.push(content);
      dataAt += content.length;
    }
    return entry;
  };
  const long = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const entry = ([tag, value]: [string, Value]): Buffer => {
    if (typeof value === 'string') return entryOf(Number(tag), 2, value.length + 1, Buffer.from(`${value}\0`));
    if (typeof value === 'number') return entryOf(Number(tag), 4, 1, long(value));
    const fractions = value.flatMap((one) => [long(Math.round(one * 1_000)), long(1_000)]);
    return entryOf(Number(tag), 5, value.length, Buffer.concat(fractions));
  };
  const list = (entries: readonly Buffer[]): Buffer => {
    const count = Buffer.alloc(2);
    count.writeUInt16LE(entries.length);
    return Buffer.concat([count, ...entries, Buffer.alloc(4)]);
  };
  const main = list([...Object.entries(tags).map(entry), entryOf(0x8825, 4, 1, long(gpsStart))]);
  const places = list(Object.entries(gps).map(entry));
  return Buffer.concat([Buffer.from('II*\0'), long(8), main, places, ...data]);
}

/** How the image of a scanned page is stored: `bits` and `mask` have a bit for each dot, `fax` is undecodable. */
const SCANS = {
  grey: { depth: 8, words: '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode' },
  bits: { depth: 1, words: '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode' },
  mask: { depth: 1, words: '/ImageMask true /BitsPerComponent 1 /Filter /FlateDecode' },
  fax: {
    depth: 1,
    words: '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 >>',
  },
} as const;

/** A PDF of one page with an image and no text. The dots of a grey image are light, the others white and black in turn. */
export function makeScannedPdf(kind: keyof typeof SCANS = 'grey', width = 400, height = 600): Uint8Array {
  const { depth, words } = SCANS[kind];
  const dots = deflateSync(Buffer.alloc((width * height * depth) / 8, depth === 8 ? 230 : 0b10101010));
  const draw = `q ${width} 0 0 ${height} 0 0 cm /Im0 Do Q`;
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /XObject << /Im0 5 0 R >> >> /Contents 4 0 R >>`,
    `<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`,
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${words} /Length ${dots.length} >>\nstream\n${dots.toString('latin1')}\nendstream`,
  ];
  return pdfFile(bodies);
}

/** A bitmap of one dot. */
export function makeBmp([red, green, blue]: readonly [red: number, green: number, blue: number]): Uint8Array {
  const file = Buffer.alloc(58);
  file.write('BM', 'latin1');
  file.writeUInt32LE(58, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(1, 18);
  file.writeInt32LE(1, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  file.writeUInt32LE(4, 34);
  file.set([blue, green, red], 54);
  return file;
}

const TIFF_TAGS = 7;
/** Where the first page of `makeTiff` says where the next one is. */
export const TIFF_NEXT_AT = 8 + 2 + TIFF_TAGS * 12;

/** A TIFF file with a page of one dot for each of these greys. */
export function makeTiff(greys: readonly number[]): Uint8Array {
  const pageBytes = TIFF_NEXT_AT - 8 + 4;
  const file = Buffer.alloc(8 + greys.length * (pageBytes + 1));
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  for (const [index, grey] of greys.entries()) {
    const start = 8 + index * (pageBytes + 1);
    writeTiffTags(file, start, [
      [256, 1],
      [257, 1],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, start + pageBytes],
      [279, 1],
    ]);
    const isLast = index === greys.length - 1;
    file.writeUInt32LE(isLast ? 0 : start + pageBytes + 1, start + pageBytes - 4);
    file[start + pageBytes] = grey;
  }
  return file;
}

/** TIFF files of 16 x 8 dots, of which the left half is black, written by Pillow. */
const FAXES = {
  group3:
    'SUkqACAAAAAAGYoAMxQAZigAzFABmKADMUAGYoAMxQAJAAABAwABAAAAEAAAAAEBAwABAAAACAAAAAIBAwABAAAAAQAAAAMBAwAB' +
    'AAAAAwAAAAYBAwABAAAAAQAAABEBBAABAAAACAAAABYBAwABAAAACAAAABcBBAABAAAAFwAAABwBAwABAAAAAQAAAAAAAAA=',
  group4:
    'SUkqABAAAAAzF//wAQAQAAkAAAEDAAEAAAAQAAAAAQEDAAEAAAAIAAAAAgEDAAEAAAABAAAAAwEDAAEAAAAEAAAABgEDAAEAAAAB' +
    'AAAAEQEEAAEAAAAIAAAAFgEDAAEAAAAIAAAAFwEEAAEAAAAHAAAAHAEDAAEAAAABAAAAAAAAAA==',
  packbits:
    'SUkqACAAAAABAP8BAP8BAP8BAP8BAP8BAP8BAP8BAP8JAAABAwABAAAAEAAAAAEBAwABAAAACAAAAAIBAwABAAAAAQAAAAMBAwAB' +
    'AAAABYAAAAYBAwABAAAAAQAAABEBBAABAAAACAAAABYBAwABAAAACAAAABcBBAABAAAAGAAAABwBAwABAAAAAQAAAAAAAAA=',
} as const;
export const faxKinds = ['group3', 'group4', 'packbits'] as const;
export const makeFaxTiff = (kind: keyof typeof FAXES): Uint8Array => Buffer.from(FAXES[kind], 'base64');

/** A TIFF file of 16 x 16 dots in one tile; `samples` is 3 for RGB and 1 for grey. */
export function makeTiledTiff(samples: 1 | 3): Uint8Array {
  const tags = 10;
  const start = 8 + 2 + tags * 12 + 4;
  const file = Buffer.alloc(start + 256 * samples, 200);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  writeTiffTags(file, 8, [
    [256, 16],
    [257, 16],
    [258, 8],
    [259, 1],
    [262, samples === 3 ? 2 : 1],
    [277, samples],
    [322, 16],
    [323, 16],
    [324, start],
    [325, 256 * samples],
  ]);
  file.writeUInt32LE(0, start - 4);
  return file;
}

function writeTiffTags(file: Buffer, start: number, tags: readonly (readonly [tag: number, value: number])[]): void {
  file.writeUInt16LE(tags.length, start);
  for (const [index, [tag, value]] of tags.entries()) {
    const at = start + 2 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(4, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
}

/** A picture of 64 x 48 pixels as phones make them: its left half red, its right half blue. By libheif with x265. */
export const makeHeic = (): Uint8Array =>
  Buffer.from(
    'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAA' +
      'AAAERAAAEAAQAAAAABoQABAAAAAAAAAIcAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA/WlwcnAA' +
      'AADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkA' +
      'AAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAA' +
      'AAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAI' +
      '9tZGF0AAAAgygBrwngPfMi///yPzf//LDOy/vFxFe//8dbw7/Ulg//5BV6YSgwK4fJZOV/OjuvTe0nzRSLF6VXROUsfyV5YE0dz5ScPKu0k7mr' +
      'R5Zm03rO8lbypFTqxOw5etvY1hyVJ2YWxFMxWkiECHU6E8t7/aXrC6g/pw39+aqK+UFz2Mj7hoeO',
    'base64',
  );
