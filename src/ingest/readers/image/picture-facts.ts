import { type PictureFacts, readExif } from './exif.ts';

/** Size and EXIF data of a picture; empty if unknown or damaged. */
export function readPictureFacts(bytes: Uint8Array): PictureFacts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return factsOf(buffer);
  } catch (error) {
    // An offset in a header points outside of the file.
    if (error instanceof RangeError) return {};
    throw error;
  }
}

function factsOf(buffer: Buffer): PictureFacts {
  const head = buffer.toString('latin1', 0, 16);
  if (head.startsWith('\x89PNG'))
    return { ...size(buffer.readUInt32BE(16), buffer.readUInt32BE(20)), ...pngExif(buffer) };
  if (head.startsWith('\xff\xd8')) return jpegFacts(buffer);
  if (head.startsWith('GIF8')) return size(buffer.readUInt16LE(6), buffer.readUInt16LE(8));
  if (head.startsWith('BM')) return size(Math.abs(buffer.readInt32LE(18)), Math.abs(buffer.readInt32LE(22)));
  if (head.startsWith('WEBP', 8)) return webpFacts(buffer);
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return readExif(buffer);
  if (head.startsWith('ftyp', 4)) return heicFacts(buffer);
  return {};
}

const size = (width: number, height: number): PictureFacts => (width > 0 && height > 0 ? { width, height } : {});

function pngExif(buffer: Buffer): PictureFacts {
  for (let at = 8; at + 12 <= buffer.length; at += 12 + buffer.readUInt32BE(at)) {
    if (buffer.toString('latin1', at + 4, at + 8) === 'eXIf')
      return camera(buffer.subarray(at + 8, at + 8 + buffer.readUInt32BE(at)));
  }
  return {};
}

/** Reads the segments before the image data: the one with the size, and EXIF if present. */
function jpegFacts(buffer: Buffer): PictureFacts {
  let facts: PictureFacts = {};
  for (let at = 2; at + 9 <= buffer.length && buffer[at] === 0xff; at += 2 + buffer.readUInt16BE(at + 2)) {
    const marker = buffer[at + 1] ?? 0;
    if (marker === 0xda || marker === 0xd9) break;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) facts = { ...facts, ...size(buffer.readUInt16BE(at + 7), buffer.readUInt16BE(at + 5)) };
    if (marker === 0xe1 && buffer.toString('latin1', at + 4, at + 10) === 'Exif\0\0')
      facts = { ...facts, ...camera(buffer.subarray(at + 10, at + 2 + buffer.readUInt16BE(at + 2))) };
  }
  return facts;
}

function webpFacts(buffer: Buffer): PictureFacts {
  const kind = buffer.toString('latin1', 12, 16);
  if (kind === 'VP8X') return size(buffer.readUIntLE(24, 3) + 1, buffer.readUIntLE(27, 3) + 1);
  if (kind === 'VP8 ') return size(buffer.readUInt16LE(26) & 0x3fff, buffer.readUInt16LE(28) & 0x3fff);
  if (kind !== 'VP8L') return {};
  const bits = buffer.readUInt32LE(21);
  return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
}

/** The largest size of any part of the picture; the others may be tiles. */
function heicFacts(buffer: Buffer): PictureFacts {
  let facts: PictureFacts = {};
  for (let at = buffer.indexOf('ispe'); at !== -1 && at < 100_000; at = buffer.indexOf('ispe', at + 4)) {
    const found = size(buffer.readUInt32BE(at + 8), buffer.readUInt32BE(at + 12));
    if ((found.width ?? 0) > (facts.width ?? 0)) facts = found;
  }
  return facts;
}

/** EXIF data without the image size, which may be that of a thumbnail. */
function camera(exif: Buffer): PictureFacts {
  const { width: _, height: __, ...facts } = readExif(exif);
  return facts;
}
