import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import { detectType, hasDirectory } from '../readers/detect-type.ts';
import { decodeText } from '../readers/encoding/decode-text.ts';
import { extensionOf, type FileType, typeByExtension } from '../readers/file-types.ts';

const PROBED_BYTES = 65_536;
/** Maximum size in bytes for every format, unless the operator allows more; larger files are not read at all. */
export const MAX_BYTES = 200_000_000;

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
    await detectType({ bytes: await readFile(path), fileName });
    return true;
  } catch (error) {
    // A file that cannot be opened counts as supported, so that reading it reports the error.
    return !(error instanceof ServiceError);
  }
}

/** Like `isSupported`, but by name alone, for a file that is not on this machine. */
export function isNamedLikeSupported(fileName: string): boolean {
  const extension = extensionOf(fileName);
  return extension === '' || typeByExtension(extension) !== undefined;
}

/**
 * Detects the format of a file, reading no more than needed. Throws `invalid_request` if the file cannot be read, and
 * the errors of `detectType`.
 */
export async function typeOfFile(path: string): Promise<FileType> {
  const fileName = basename(path);
  try {
    const head = await readHead(path);
    const isEnough = head.length < PROBED_BYTES || !hasDirectory(head);
    return await detectType({ bytes: isEnough ? head : await readFile(path), fileName });
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadableFile(error);
  }
}

export const unreadableWords = (problem: string): string => `It cannot be read: ${problem}.`;
export const unreadableFile = (cause: unknown): ServiceError =>
  new ServiceError('invalid_request', unreadableWords(fileProblem(cause)), { cause });

/** Throws `too_large` for a file of more than `maxBytes`. */
export function refuseLarge(sizeInBytes: number, maxBytes: number): void {
  if (sizeInBytes <= maxBytes) return;
  throw new ServiceError(
    'too_large',
    `It has ${byteCount(sizeInBytes)}; at most ${byteCount(maxBytes)} are read (CITEWELL_MAX_FILE_MB).`,
  );
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PROBED_BYTES), 0, PROBED_BYTES, 0);
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
