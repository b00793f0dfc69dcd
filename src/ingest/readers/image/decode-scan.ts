import { decode as decodeBmp } from 'bmp-ts';
import { decode as decodeTiff, type TiffIfd } from 'tiff';
import { ServiceError } from '../../../errors.ts';
import { decodeFaxPage, isFaxCompression } from './decode-fax.ts';
import { encodePng, type Pixels, shrink } from './encode-png.ts';
import type { Picture } from './image-reader.ts';
import { checkSize, MAX_SIDE, undecodable } from './picture-limits.ts';

const MAX_PAGES = 100;

/** The pages of a BMP or TIFF as PNG, which every image reader accepts; undefined for other formats. */
export function decodeScan(bytes: Uint8Array, fileName: string): AsyncIterable<Picture> | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = buffer.toString('latin1', 0, 4);
  if (head.startsWith('BM')) return pictures([async () => readBmp(buffer)], fileName);
  if (head !== 'II*\0' && head !== 'MM\0*') return undefined;
  return tiffPictures(buffer, fileName);
}

async function* tiffPictures(buffer: Buffer, fileName: string): AsyncGenerator<Picture, void> {
  const count = await decoded(fileName, async () => countPages(buffer, fileName));
  yield* pictures(
    Array.from({ length: count }, (_, page) => () => readTiffPage(buffer, page)),
    fileName,
  );
}

/** Decodes one page at a time, because a page can be a hundred times larger than in the file. */
async function* pictures(pages: readonly (() => Promise<Pixels>)[], fileName: string): AsyncGenerator<Picture, void> {
  for (const [index, read] of pages.entries()) {
    const bytes = await decoded(fileName, async () => encodePng(shrink(await read(), MAX_SIDE)));
    const name = pages.length === 1 ? fileName : `${fileName}, page ${index + 1}`;
    yield { bytes, mediaType: 'image/png', fileName: name };
  }
}

async function decoded<Result>(fileName: string, decode: () => Promise<Result>): Promise<Result> {
  try {
    return await decode();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : undecodable(fileName, cause);
  }
}

function readBmp(buffer: Buffer): Pixels {
  checkSize(Math.abs(buffer.readInt32LE(18)) * Math.abs(buffer.readInt32LE(22)) * 4);
  const { data, width, height } = decodeBmp(buffer, { toRGBA: true });
  return { data: pick(data, 4, 3, (value) => value), width, height, channels: 3 };
}

const tiffPage = (buffer: Buffer, page: number, ignoreImageData: boolean): TiffIfd | undefined =>
  decodeTiff(buffer, { pages: [page], ignoreImageData })[0];

function countPages(buffer: Buffer, fileName: string): number {
  for (let page = 0; page <= MAX_PAGES; page++) if (tiffPage(buffer, page, true) === undefined) return page;
  throw new ServiceError('too_large', `${fileName} has more than ${MAX_PAGES} pages. Split it first.`);
}

async function readTiffPage(buffer: Buffer, page: number): Promise<Pixels> {
  const outline = tiffPage(buffer, page, true);
  if (outline === undefined) throw new Error('There is no such page.');
  const { width, height, samplesPerPixel: samples, bitsPerSample: bits, type } = outline;
  if (isFaxCompression(outline.compression)) {
    checkSize(width * height * 4);
    return decodeFaxPage(buffer, page);
  }
  checkSize(width * height * samples * Math.max(1, bits / 8));
  if (bits > 16) throw new Error(`${bits} bits for each sample are too many.`);
  // The decoder reads such tiles as if they had one sample for each pixel.
  if (outline.tiled && samples > 1) throw new Error(`Tiles of ${samples} samples for each pixel are not decoded.`);
  const found = tiffPage(buffer, page, false);
  if (found === undefined) throw new Error('There is no such page.');
  const { data } = found;
  if (type === PALETTE) {
    const palette = found.palette ?? [];
    const colours = new Uint8Array(data.length * 3);
    for (const [at, index] of data.entries()) colours.set(palette[index]?.map((value) => value >> 8) ?? [], at * 3);
    return { data: colours, width, height, channels: 3 };
  }
  const channels = samples < 3 ? 1 : 3;
  const toByte = bits === 1 ? (value: number) => value * 255 : bits === 16 ? (value: number) => value >> 8 : identity;
  return { data: pick(data, samples, channels, toByte), width, height, channels };
}

const PALETTE = 3;
const identity = (value: number): number => value;

/** The first `kept` of every `each` values, as bytes. Dropping the alpha channel makes transparent pixels opaque. */
function pick(values: ArrayLike<number>, each: number, kept: number, toByte: (value: number) => number): Uint8Array {
  const count = Math.floor(values.length / each);
  const bytes = new Uint8Array(count * kept);
  for (let at = 0; at < count; at++) {
    for (let channel = 0; channel < kept; channel++) {
      bytes[at * kept + channel] = toByte(values[at * each + channel] ?? 0);
    }
  }
  return bytes;
}
