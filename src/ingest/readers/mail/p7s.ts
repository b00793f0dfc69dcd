import { ServiceError } from '../../../errors.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';
import { openSigned } from './cms.ts';
import { readMimeMail } from './eml.ts';

/** Signed mails saved as a file, with a detached or an enveloping signature. */
export const p7sReader: Reader = {
  read: async (input) => {
    const { fileName } = input;
    const bytes = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength);
    const opened = openSigned(bytes);
    switch (opened.kind) {
      case 'signed':
        return readMimeMail(Buffer.from(opened.content).toString('latin1'), input);
      case 'encrypted':
        throw new ServiceError(
          'invalid_request',
          `${fileName} is encrypted. Decrypt it in the mail program and save it again.`,
        );
      case 'signature':
        throw new ServiceError(
          'invalid_request',
          `${fileName} contains a detached signature only, without the signed message. Send the signed message itself.`,
        );
      case 'unknown':
        if (decodeText(bytes) === undefined)
          throw new ServiceError('invalid_request', `${fileName} is damaged: it cannot be read as a signed message.`);
        return readMimeMail(bytes.toString('latin1'), input);
    }
  },
};
