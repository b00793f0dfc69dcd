import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../../errors.ts';
import { detectType } from '../detect-type.ts';
import { isContainer } from '../file-types.ts';
import { readDocument } from '../index.ts';
import type { Reader } from '../reader.ts';
import { type NestingBudget, NestingBudgetExceeded, createNestingBudget, MAX_DEPTH } from './nesting-budget.ts';
import { isTar, readTar } from './tar.ts';

/** Files compressed with gzip: a tar archive, or a single file, which is read by its own format. */
export const gzipReader: Reader = {
  types: ['gz'],
  async read(input) {
    const { bytes, fileName } = input;
    const budget = input.budget ?? createNestingBudget(fileName);
    const unpacked = unpack(bytes, fileName, budget);
    budget.take(unpacked.length);
    if (isTar(unpacked)) return readTar(unpacked, { ...input, budget });
    const innerName = fileName.replace(/\.gz$/i, '') || fileName;
    const inner = { bytes: unpacked, fileName: innerName };
    try {
      const type = await detectType(inner);
      if (isContainer(type) && budget.depth >= MAX_DEPTH)
        throw new ServiceError('invalid_request', `It is packed more than ${MAX_DEPTH} times.`);
      return await readDocument(type.type, { ...input, ...inner, budget: budget.deeper() });
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
