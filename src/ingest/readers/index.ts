import { ServiceError } from '../../errors.ts';
import { MAX_DEPTH } from './containers/nesting-budget.ts';
import { detectType } from './detect-type.ts';
import { type FileType, typeByName } from './file-types.ts';
import type { FileInput, ReadDocument, ReadNested } from './reader.ts';

/** Reads bytes of a known type. Throws `unsupported_type`, `too_large` and the reader's errors. */
export async function readDocument(type: string, input: FileInput): Promise<ReadDocument> {
  const known = typeByName(type);
  if (known === undefined) throw new ServiceError('unsupported_type', `No reader understands files of type ${type}.`);
  checkSize(known, input);
  const reader = await known.load();
  return reader.read({ ...input, type, readNested });
}

const readNested: ReadNested = async ({ mediaType, ...file }, budget) => {
  const { bytes, fileName } = file;
  const type = await detectType({ bytes, fileName, ...(mediaType !== undefined && { mediaType }) });
  if (type.isContainer && budget.depth >= MAX_DEPTH) {
    throw new ServiceError(
      'invalid_request',
      `It is nested more than ${MAX_DEPTH} files deep and was not opened. Upload it separately.`,
    );
  }
  return readDocument(type.type, { ...file, budget: budget.deeper() });
};

/** Throws `too_large` with the limit when a file is larger than its format allows. */
export function checkSize(
  { type, maxBytes }: FileType,
  { bytes, fileName }: Pick<FileInput, 'bytes' | 'fileName'>,
): void {
  if (bytes.byteLength <= maxBytes) return;
  throw new ServiceError(
    'too_large',
    `${fileName} has ${bytes.byteLength} bytes; a file of type ${type} may have ${maxBytes}. Split it first.`,
  );
}
