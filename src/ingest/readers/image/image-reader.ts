import { ServiceError } from '../../../errors.ts';
import type { PictureType } from '../../../shared/detect-picture.ts';

/** A single picture, in a format browsers can show. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: PictureType;
  readonly fileName: string;
}

/**
 * Returns the text in a picture, and a description if the reader can give one; empty if there is neither. Throws
 * ServiceError.
 */
export type ImageReader = (picture: Picture, signal: AbortSignal) => Promise<string>;

/** How to enable reading pictures, for messages. */
export const IMAGE_PROMPT =
  'Set CITEWELL_READ_IMAGES to a model that takes pictures, such as openai/gpt-6-luna, or to tesseract after `npm install tesseract.js`';

/** The error for a picture when no image reader is configured. */
export const imageNotRead = (fileName: string): ServiceError =>
  new ServiceError(
    'unsupported_type',
    `${fileName} is a picture, and reading pictures is not set up. ${IMAGE_PROMPT}.`,
    { unread: 'picture' },
  );
