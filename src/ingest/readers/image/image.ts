import { ServiceError } from '../../../errors.ts';
import { detectPicture } from '../../../shared/detect-picture.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { markdownBlocks } from '../markdown/markdown.ts';
import type { Reader } from '../reader.ts';
import { decodeHeif, isHeif } from './decode-heif.ts';
import { decodeScan } from './decode-scan.ts';
import { imageNotRead } from './image-reader.ts';
import { readPictureFacts } from './picture-facts.ts';
import { undecodable } from './picture-limits.ts';

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
    const decode = isHeif(bytes) ? decodeHeif : decodeScan;
    const pages = kind === undefined ? decode(bytes, fileName) : [{ bytes, mediaType: kind, fileName }];
    if (pages === undefined) throw undecodable(fileName);
    const texts: string[] = [];
    for await (const picture of pages) {
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
