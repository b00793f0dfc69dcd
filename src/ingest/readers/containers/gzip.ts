import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../../errors.ts';
import type { Reader } from '../reader.ts';
import { readCompressedFile } from './compressed-file.ts';
import { createNestingBudget, type NestingBudget } from './nesting-budget.ts';

/** Files compressed with gzip: a tar archive, or a single file, which is read by its own format. */
export const gzipReader: Reader = {
  async read(input) {
    const { fileName } = input;
    const budget = input.budget ?? createNestingBudget(fileName);
    const bytes = unpack(input.bytes, fileName, budget);
    return readCompressedFile({ bytes, name: fileName.replace(/\.gz$/i, ''), budget }, input);
  },
};

function unpack(bytes: Uint8Array, fileName: string, budget: NestingBudget): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, budget.bytesLeft) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw budget.exceeded();
    throw new ServiceError(
      'invalid_request',
      `${fileName} is damaged or was cut off: it cannot be unpacked. Send the whole file again.`,
      { cause: error },
    );
  }
}
