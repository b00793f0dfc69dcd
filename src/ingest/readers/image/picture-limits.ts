import { ServiceError } from '../../../errors.ts';

/** Maximum pixels on the longer side of a decoded picture; scans have a higher resolution than reading them needs. */
export const MAX_SIDE = 2_400;
const MAX_DECODED_BYTES = 200_000_000;

/** Throws `too_large` if the decoded pixels take too many bytes. */
export function checkSize(bytes: number): void {
  if (bytes > MAX_DECODED_BYTES) {
    throw new ServiceError('too_large', 'A picture of so many pixels is not opened. Make it smaller first.');
  }
}

/** The error for a picture that a decoder rejects, because the file is broken or of a rare kind. */
export const undecodable = (fileName: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'unsupported_type',
    `${fileName} is broken, or a picture of a kind that cannot be read. Convert it to PNG or JPEG first.`,
    { cause, unread: 'undecodable' },
  );
