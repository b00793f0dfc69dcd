import { extractImages, type getDocumentProxy } from 'unpdf';
import { cleanText } from '../encoding/clean-text.ts';
import { encodePng, shrink } from '../image/encode-png.ts';
import { MAX_SIDE } from '../image/picture-limits.ts';
import type { ReaderInput } from '../reader.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Lines and logos are smaller; a scanned page is one image, or several strips. */
const MIN_SIDE = 200;

/** The text in the images of a page, by the configured image reader. Empty when there are none. */
export async function readScan(
  pdf: Pdf,
  page: number,
  { fileName, signal, readImage }: Pick<ReaderInput, 'fileName' | 'signal' | 'readImage'>,
): Promise<string> {
  if (readImage === undefined) return '';
  const pictures = await extractImages(pdf, page).catch(() => []);
  const texts: string[] = [];
  for (const { data, width, height, channels } of pictures) {
    signal.throwIfAborted();
    if (Math.max(width, height) < MIN_SIDE) continue;
    const bytes = encodePng(shrink({ data, width, height, channels }, MAX_SIDE));
    const picture = { bytes, mediaType: 'image/png', fileName: `${fileName}, page ${page}` } as const;
    texts.push(cleanText(await readImage(picture, signal)).trim());
  }
  return texts.filter((text) => text !== '').join('\n\n');
}
