import { ServiceError } from '../../errors.ts';

/** A picture by itself, in a format that is shown in browsers too. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/bmp';
  readonly fileName: string;
}

/** Gives the words in a picture, and what it shows where that can be told. Empty when there is nothing. Throws ServiceError. */
export type Sight = (picture: Picture, signal: AbortSignal) => Promise<string>;

/** What to do for pictures to be read, for messages. */
export const HOW_TO_SEE =
  'Set CITEWELL_READ_IMAGES to a model that takes pictures, such as openai/gpt-6-luna, or to tesseract after `npm install tesseract.js`';

/** What is said of a picture where nobody reads pictures. */
export const pictureUnread = (fileName: string): ServiceError =>
  new ServiceError('unsupported_type', `${fileName} is a picture, and reading pictures is not set up. ${HOW_TO_SEE}.`);
