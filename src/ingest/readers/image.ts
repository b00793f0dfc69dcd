import { ServiceError } from '../../errors.ts';
import { cleanText } from './clean-text.ts';
import { markdownBlocks } from './markdown.ts';
import { readPictureFacts } from './picture-facts.ts';
import { detectPicture } from './picture-kind.ts';
import type { Reader } from './reader.ts';
import { pictureUnread } from './sight.ts';

/** Larger ones are made to fill the memory of whoever opens them. */
const MAX_PIXELS = 100_000_000;

/** Pictures: their words, through whatever was set up to read them, and what the file says of itself. */
export const imageReader: Reader = {
  types: ['png', 'jpg', 'gif', 'webp', 'bmp', 'tiff', 'heic'],
  async read({ bytes, fileName, signal, see }) {
    const kind = detectPicture(bytes);
    const facts = readPictureFacts(bytes);
    const { width, height, title, ...rest } = facts;
    if (width !== undefined && height !== undefined && width * height > MAX_PIXELS)
      throw new ServiceError(
        'too_large',
        `${fileName} has ${width} x ${height} pixels; at most ${MAX_PIXELS} are read.`,
      );
    if (see === undefined) throw pictureUnread(fileName);
    if (kind === undefined)
      throw new ServiceError(
        'unsupported_type',
        `${fileName} is a picture of a kind that cannot be read. Convert it to PNG or JPEG first.`,
      );
    const text = cleanText(await see({ bytes, mediaType: kind, fileName }, signal)).trim();
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
