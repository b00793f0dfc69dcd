import type { Pixels } from './encode-png.ts';

/** Compressions of TIFF for black and white pictures, and PackBits, which the main decoder does not know. */
const COMPRESSIONS = new Set([2, 3, 4, 32_773]);

export const isFaxCompression = (compression: number): boolean => COMPRESSIONS.has(compression);

/** Decodes a page of a TIFF in one of these compressions. Throws if it is damaged. */
export async function decodeFaxPage(bytes: Buffer, page: number): Promise<Pixels> {
  const { default: utif } = await import('utif2');
  const found = utif.decode(bytes)[page];
  if (found === undefined) throw new Error('There is no such page.');
  utif.decodeImage(bytes, found);
  const { width, height } = found;
  return { data: utif.toRGBA8(found), width, height, channels: 4 };
}
