import { ServiceError } from '../../../errors.ts';
import type { ReadDocument, ReaderInput } from '../reader.ts';
import { type NestingBudget, NestingBudgetExceeded } from './nesting-budget.ts';
import { readTar } from './tar.ts';
import { isTar } from './tar-header.ts';

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Name of the inner file. */
  readonly name: string;
  readonly budget: NestingBudget;
}

/** Reads what a compressed file contained: a tar archive, or a single file, which is read by its own format. */
export async function readCompressedFile({ bytes, name, budget }: Unpacked, input: ReaderInput): Promise<ReadDocument> {
  budget.take(bytes.length);
  if (isTar(bytes)) return readTar(bytes, { ...input, budget });
  const { fileName, signal, readImage } = input;
  try {
    return await input.readNested(
      { bytes, fileName: name || fileName, signal, ...(readImage && { readImage }) },
      budget,
    );
  } catch (error) {
    throw withName(error, fileName);
  }
}

/** Prefixes an error message with the name of the submitted file, since it may name only the inner one. */
function withName(error: unknown, fileName: string): unknown {
  if (!(error instanceof ServiceError) || error instanceof NestingBudgetExceeded || error.message.includes(fileName))
    return error;
  return new ServiceError(error.code, `${fileName}: ${error.message}`, { cause: error });
}
