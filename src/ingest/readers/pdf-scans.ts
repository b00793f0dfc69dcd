import { extractImages, type getDocumentProxy } from 'unpdf';
import { cleanText } from './clean-text.ts';
import { encodePng, shrink } from './encode-png.ts';
import type { ReaderInput } from './reader.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Scans are finer than it takes to read them. */
const LONGEST_SIDE = 2_400;
/** Lines and logos are smaller; a scanned page is a picture, or several strips of one. */
const LEAST_SIDE = 200;

/** What the pictures of a page say, read through whatever was set up for it. Empty when there are none. */
export async function readScan(
  pdf: Pdf,
  page: number,
  { fileName, signal, see }: Pick<ReaderInput, 'fileName' | 'signal' | 'see'>,
): Promise<string> {
  if (see === undefined) return '';
  const pictures = await extractImages(pdf, page).catch(() => []);
  const texts: string[] = [];
  for (const { data, width, height, channels } of pictures) {
    signal.throwIfAborted();
    if (Math.max(width, height) < LEAST_SIDE) continue;
    const bytes = encodePng(shrink({ data, width, height, channels }, LONGEST_SIDE));
    const picture = { bytes, mediaType: 'image/png', fileName: `${fileName}, page ${page}` } as const;
    texts.push(cleanText(await see(picture, signal)).trim());
  }
  return texts.filter((text) => text !== '').join('\n\n');
}
