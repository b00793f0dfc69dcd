import { ServiceError } from '../../../errors.ts';
import { encodePng, type Pixels, shrink } from './encode-png.ts';
import type { Picture } from './image-reader.ts';
import { checkSize, MAX_SIDE, undecodable } from './picture-limits.ts';

/** Brands of HEIF files whose pictures are encoded as HEVC, as by phones (ISO/IEC 23008-12). */
const BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1']);
const MAX_PICTURES = 100;

export const isHeif = (bytes: Uint8Array): boolean => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString('latin1');
  return head.startsWith('ftyp', 4) && BRANDS.has(head.slice(8));
};

/** The pictures of a HEIF file as PNG, one after another. Throws `unsupported_type` and `too_large`. */
export async function* decodeHeif(bytes: Uint8Array, fileName: string): AsyncGenerator<Picture, void> {
  const { default: libheif } = await import('libheif-js/wasm-bundle.js');
  const found = new libheif.HeifDecoder().decode(bytes);
  if (found.length === 0) throw undecodable(fileName);
  if (found.length > MAX_PICTURES) {
    throw new ServiceError('too_large', `${fileName} has more than ${MAX_PICTURES} pictures. Split it first.`);
  }
  for (const [index, image] of found.entries()) {
    const [width, height] = [image.get_width(), image.get_height()];
    checkSize(width * height * 4);
    const pixels = await new Promise<Pixels>((resolve, reject) => {
      const target = { data: new Uint8ClampedArray(width * height * 4), width, height };
      image.display(target, (decoded) =>
        decoded === null ? reject(undecodable(fileName)) : resolve({ ...target, channels: 4 }),
      );
    });
    image.free();
    const name = found.length === 1 ? fileName : `${fileName}, picture ${index + 1}`;
    yield { bytes: encodePng(shrink(pixels, MAX_SIDE)), mediaType: 'image/png', fileName: name };
  }
}
