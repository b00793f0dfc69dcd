import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { detectType } from '../readers/detect-type.ts';
import { extensionOf, typeByExtension } from '../readers/file-types.ts';

const PROBED_BYTES = 65_536;
/** Unless the operator allows it, no format has larger files (see the readers' limits), so such a file is not read at all. */
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
    // Reading reports files that cannot be opened.
    return !(error instanceof ServiceError);
  }
}

/** The same by the name alone, for a file that is elsewhere. */
export function isNamedLikeSupported(fileName: string): boolean {
  const extension = extensionOf(fileName);
  return extension === '' || typeByExtension(extension) !== undefined;
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

/** The last character may be truncated. A file with a NUL is binary. */
function isUtf8(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
