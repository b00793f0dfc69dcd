import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import { detectType, HEAD_BYTES, hasDirectory } from '../readers/detect-type.ts';
import { decodeText } from '../readers/encoding/decode-text.ts';
import { extensionOf, type FileType, typeByExtension } from '../readers/file-types.ts';
import { checkSize } from '../readers/index.ts';
import { ALWAYS_ALLOWED_BYTES, limitByHead } from '../readers/size-limit.ts';
import { formatOfZip } from './format-of-zip.ts';
import { isGenerated } from './is-generated.ts';

/** Maximum size in bytes for every format, unless the operator allows more; larger files are not read at all. */
const MAX_BYTES = 200_000_000;
/** The same for files whose name says that they are of another format than those that may be larger. */
const MAX_NAMED_BYTES = 100_000_000;

/**
 * True for files a reader may understand: those with a known extension, all UTF-8 text, and, without an extension,
 * files whose content is recognised as a known format.
 */
export async function isSupported(path: string): Promise<boolean> {
  const fileName = basename(path);
  const extension = extensionOf(fileName);
  if (typeByExtension(extension) !== undefined) return true;
  try {
    if (isUtf8(await readHead(path))) return true;
    if (extension !== '' || (await stat(path)).size > MAX_BYTES) return false;
    await detectFile(path);
    return true;
  } catch (error) {
    // A file that cannot be opened counts as supported, so that reading it reports the error.
    return !(error instanceof ServiceError);
  }
}

/** Like `isSupported`, but by name alone, for a file that is not on this machine. */
export function isNamedLikeSupported(fileName: string): boolean {
  if (isGenerated(fileName)) return false;
  const extension = extensionOf(fileName);
  return extension === '' || typeByExtension(extension) !== undefined;
}

/**
 * Detects the format of a file, reading no more than needed. Throws `invalid_request` if the file cannot be read, and
 * the errors of `detectType`.
 */
export async function typeOfFile(path: string): Promise<FileType> {
  try {
    return await detectFile(path);
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadableFile(error);
  }
}

async function detectFile(path: string): Promise<FileType> {
  const head = await readHead(path);
  const isEnough = head.length < HEAD_BYTES || !hasDirectory(head);
  return detectType({ bytes: isEnough ? head : await readFile(path), fileName: basename(path) });
}

export const unreadableWords = (problem: string): string => `It cannot be read: ${problem}.`;
export const unreadableFile = (cause: unknown): ServiceError =>
  new ServiceError('invalid_request', unreadableWords(fileProblem(cause)), { cause });

/**
 * Throws `too_large` for a file above `maxBytes`, or without it above the limit of its format, and reads no more of it
 * than its beginning and the directory of an archive. Errors of the file system are thrown unchanged.
 */
export async function refuseLarge(path: string, sizeInBytes: number, maxBytes?: number): Promise<void> {
  refuseAbove(sizeInBytes, maxBytes ?? MAX_BYTES);
  if (maxBytes !== undefined || sizeInBytes <= ALWAYS_ALLOWED_BYTES) return;
  const fileName = basename(path);
  const head = await readHead(path);
  const limit = await limitByHead(head, { fileName });
  if (limit === undefined) return;
  const file = { bytes: { byteLength: sizeInBytes }, fileName };
  if (sizeInBytes > limit.maxBytes) checkSize(limit.format, file);
  const format = sizeInBytes > limit.format.maxBytes ? await formatOfZip(path, head) : undefined;
  if (format !== undefined) checkSize(format, file);
}

/**
 * Maximum size of a file that is not on this machine. Names can be wrong about the format, so the limit of the named
 * format counts only where it is the larger one.
 */
export const maxBytesByName = (fileName: string): number =>
  Math.max(typeByExtension(extensionOf(fileName))?.maxBytes ?? MAX_BYTES, MAX_NAMED_BYTES);

function refuseAbove(sizeInBytes: number, maxBytes: number): void {
  if (sizeInBytes <= maxBytes) return;
  throw new ServiceError(
    'too_large',
    `It has ${byteCount(sizeInBytes)}; at most ${byteCount(maxBytes)} are read (CITEWELL_MAX_FILE_MB).`,
  );
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether the bytes are UTF-8 text: no NUL and few control characters. The last character may be truncated. */
function isUtf8(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return head.length === 0 || decodeText(new TextEncoder().encode(text)) !== undefined;
  } catch {
    return false;
  }
}
