import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { MAX_DEPTH } from './containers/nesting-budget.ts';
import { type FileType, typeByName } from './file-types.ts';
import type { FileInput, ReadDocument, ReadNested } from './reader.ts';

/** Reads bytes of a known type whose size has been checked. Throws `unsupported_type` and the reader's errors. */
export async function readDocument(type: string, input: FileInput): Promise<ReadDocument> {
  const known = typeByName(type);
  if (known === undefined) throw new ServiceError('unsupported_type', `No reader understands files of type ${type}.`);
  const reader = await known.load();
  return reader.read({ ...input, type, readNested });
}

const readNested: ReadNested = async ({ mediaType, ...file }, budget) => {
  const { bytes, fileName } = file;
  // Only for files inside others: it loads parts of the readers of most formats.
  const { detectType } = await import('./detect-type.ts');
  const type = await detectType({ bytes, fileName, ...(mediaType !== undefined && { mediaType }) });
  if (type.isContainer && budget.depth >= MAX_DEPTH) {
    throw new ServiceError(
      'invalid_request',
      `It is nested more than ${MAX_DEPTH} files deep and was not opened. Upload it separately.`,
    );
  }
  checkSize(type, file, undefined, 'Upload it separately.');
  return readDocument(type.type, { ...file, budget: budget.deeper() });
};

/** Throws `too_large` for a file larger than `maxBytes`, by default the limit of its format. */
export function checkSize(
  { type, maxBytes: own }: FileType,
  { bytes, fileName }: { readonly bytes: { readonly byteLength: number }; readonly fileName: string },
  maxBytes = own,
  advice = 'Split it, or raise CITEWELL_MAX_FILE_MB.',
): void {
  if (bytes.byteLength <= maxBytes) return;
  throw new ServiceError(
    'too_large',
    `${fileName} has ${byteCount(bytes.byteLength)}; a file of type ${type} may have ${byteCount(maxBytes)}. ${advice}`,
  );
}
