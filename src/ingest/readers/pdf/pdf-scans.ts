import { type getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { cleanText } from '../encoding/clean-text.ts';
import { encodePng, type Pixels, shrink } from '../image/encode-png.ts';
import { MAX_SIDE } from '../image/picture-limits.ts';
import type { ReaderInput } from '../reader.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Lines and logos are smaller; a scanned page is one image, or several strips. */
const MIN_SIDE = 200;

/** What the images of a page show. */
interface ReadScan {
  /** Empty when there is no text. */
  readonly text: string;
  /** Whether an image has an encoding that the PDF library does not decode. */
  readonly hasUndecoded: boolean;
}

/** Reads the text in the images of a page with the configured image reader. */
export async function readScan(
  pdf: Pdf,
  page: number,
  { fileName, signal, readImage }: Pick<ReaderInput, 'fileName' | 'signal' | 'readImage'>,
): Promise<ReadScan> {
  if (readImage === undefined) return { text: '', hasUndecoded: false };
  const images: Awaited<ReturnType<typeof imagesOf>> = await imagesOf(pdf, page).catch(() => []);
  const texts: string[] = [];
  for (const pixels of images) {
    signal.throwIfAborted();
    if (pixels === undefined || Math.max(pixels.width, pixels.height) < MIN_SIDE) continue;
    const bytes = encodePng(shrink(pixels, MAX_SIDE));
    const picture = { bytes, mediaType: 'image/png', fileName: `${fileName}, page ${page}` } as const;
    texts.push(cleanText(await readImage(picture, signal)).trim());
  }
  return { text: texts.filter((text) => text !== '').join('\n\n'), hasUndecoded: images.includes(undefined) };
}

/** An image as PDF.js decodes it. */
interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly data?: Uint8Array | Uint8ClampedArray | null;
}

/** The images of a page; undefined for one that cannot be decoded. */
async function imagesOf(pdf: Pdf, number: number): Promise<readonly (Pixels | undefined)[]> {
  const page = await pdf.getPage(number);
  const [{ OPS }, { fnArray, argsArray }] = await Promise.all([getResolvedPDFJS(), page.getOperatorList()]);
  const names = fnArray.flatMap((operation, at): string[] => {
    const [image] = argsArray[at] ?? [];
    // A stencil mask, through which scanners paint black and white pages, is named in an object.
    const name: unknown = operation === OPS.paintImageMaskXObject ? Object(image).data : image;
    const isImage = operation === OPS.paintImageXObject || operation === OPS.paintImageMaskXObject;
    return isImage && typeof name === 'string' ? [name] : [];
  });
  const images = await Promise.all(
    names.map((name) => {
      // Images that several pages share are kept with the document.
      const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
      return new Promise<DecodedImage | null>((resolve) => objects.get(name, resolve));
    }),
  );
  return images.map((image) => (image === null ? undefined : pixelsOf(image)));
}

function pixelsOf({ data, width, height }: DecodedImage): Pixels | undefined {
  if (data === undefined || data === null) return undefined;
  const channels = data.length / (width * height);
  if (channels === 1 || channels === 3 || channels === 4) return { data, width, height, channels };
  return data.length === Math.ceil(width / 8) * height ? fromBits(data, width, height) : undefined;
}

/** A grey picture from one with a bit for each dot; a set bit is white. */
function fromBits(bits: Uint8Array | Uint8ClampedArray, width: number, height: number): Pixels {
  const line = Math.ceil(width / 8);
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const byte = bits[y * line + (x >> 3)] ?? 0;
      data[y * width + x] = (byte >> (7 - (x & 7))) & 1 ? 255 : 0;
    }
  }
  return { data, width, height, channels: 1 };
}
