import { ServiceError } from '../../../errors.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { markdownBlocks } from '../markdown/markdown.ts';
import type { Reader } from '../reader.ts';
import { decodeScan } from './decode-scan.ts';
import { imageNotRead, type Picture } from './image-reader.ts';
import { readPictureFacts } from './picture-facts.ts';

/** Larger pictures are decompression bombs. */
const MAX_PIXELS = 100_000_000;

/** Pictures: their text, by the configured image reader, and their metadata. */
export const imageReader: Reader = {
  async read({ bytes, fileName, signal, readImage }) {
    const facts = readPictureFacts(bytes);
    const { width, height, title, ...rest } = facts;
    if (width !== undefined && height !== undefined && width * height > MAX_PIXELS)
      throw new ServiceError(
        'too_large',
        `${fileName} has ${width} x ${height} pixels; at most ${MAX_PIXELS} are read.`,
      );
    if (readImage === undefined) throw imageNotRead(fileName);
    const kind = detectPicture(bytes);
    const pages = kind === undefined ? decodeScan(bytes, fileName) : [{ bytes, mediaType: kind, fileName }];
    if (pages === undefined)
      throw new ServiceError(
        'unsupported_type',
        `${fileName} is a picture of a kind that cannot be read. Convert it to PNG or JPEG first.`,
      );
    const texts: string[] = [];
    for (const picture of pages) {
      signal.throwIfAborted();
      texts.push(cleanText(await readImage(picture, signal)).trim());
    }
    const text = texts.filter((each) => each !== '').join('\n\n');
    if (text === '') throw new ServiceError('invalid_request', `${fileName} shows no text that could be read.`);
    return {
      text,
      blocks: markdownBlocks(text),
      pages: [],
      ...(title !== undefined && { title }),
      metadata: { ...(width !== undefined && { width }), ...(height !== undefined && { height }), ...rest },
    };
  },
};

const SIGNATURES: readonly (readonly [at: number, bytes: string, mediaType: Picture['mediaType']])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF8', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
];

/** Detects the readable format of a picture by its first bytes. */
function detectPicture(bytes: Uint8Array): Picture['mediaType'] | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.byteLength)).toString('latin1');
  return SIGNATURES.find(([at, signature]) => head.startsWith(signature, at))?.[2];
}
