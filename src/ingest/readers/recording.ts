import { ServiceError } from '../../errors.ts';
import { TRANSCRIBER_PROMPT } from '../../models/transcriber.ts';
import type { Reader } from './reader.ts';

/** The error for a recording that is not transcribed. */
export const recordingNotRead = (fileName: string): ServiceError =>
  new ServiceError(
    'unsupported_type',
    `${fileName} is a recording, and transcribing recordings is not set up. ${TRANSCRIBER_PROMPT}.`,
    { unread: 'recording' },
  );

/**
 * Rejects recordings. They are transcribed before reading; those that reach this reader are nested in another file, or
 * there is no transcriber.
 */
export const recordingReader: Reader = {
  async read({ fileName, budget }) {
    if (budget === undefined) throw recordingNotRead(fileName);
    throw new ServiceError(
      'unsupported_type',
      `${fileName} is a recording inside of another file, which is not transcribed. Upload it separately.`,
    );
  },
};
