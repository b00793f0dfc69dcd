import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../../errors.ts';
import type { Reader } from '../reader.ts';
import { createNestingBudget, type NestingBudget, NestingBudgetExceeded } from './nesting-budget.ts';
import { readTar } from './tar.ts';
import { isTar } from './tar-header.ts';

/** Files compressed with gzip: a tar archive, or a single file, which is read by its own format. */
export const gzipReader: Reader = {
  async read(input) {
    const { bytes, fileName } = input;
    const budget = input.budget ?? createNestingBudget(fileName);
    const unpacked = unpack(bytes, fileName, budget);
    budget.take(unpacked.length);
    if (isTar(unpacked)) return readTar(unpacked, { ...input, budget });
    const innerName = fileName.replace(/\.gz$/i, '') || fileName;
    const { signal, readImage } = input;
    try {
      return await input.readNested(
        { bytes: unpacked, fileName: innerName, signal, ...(readImage && { readImage }) },
        budget,
      );
    } catch (error) {
      throw withName(error, fileName);
    }
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

/** Prefixes an error message with the name of the submitted file, since it may name only the inner one. */
function withName(error: unknown, fileName: string): unknown {
  if (!(error instanceof ServiceError) || error instanceof NestingBudgetExceeded || error.message.includes(fileName))
    return error;
  return new ServiceError(error.code, `${fileName}: ${error.message}`, { cause: error });
}
