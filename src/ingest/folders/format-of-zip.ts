import { open } from 'node:fs/promises';
import { readZipEntries, type ZipEntry, zipDirectoryStart } from '../readers/containers/zip-entries.ts';
import { type FileType, typeByName } from '../readers/file-types.ts';
import { officeTypeOfEntries } from '../readers/office/office-type.ts';

/** Where the end record is: it and the longest comment behind it, and the records of archives above 4 GB before it. */
const TAIL_BYTES = 66_000;
/** Directories are smaller, except of archives with tens of thousands of files. */
const MAX_DIRECTORY_BYTES = 8_000_000;

/**
 * The format of a zip archive, Office files among them, by its directory. Undefined if it is not an archive or its
 * directory cannot be read this way.
 */
export async function formatOfZip(path: string, head: Uint8Array): Promise<FileType | undefined> {
  const entries = await zipDirectory(path);
  return entries && typeByName(officeTypeOfEntries(entries, head) ?? 'zip');
}

/** The directory of a zip archive, without reading the rest of the file. Undefined as above. */
export async function zipDirectory(path: string): Promise<readonly ZipEntry[] | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const readFrom = async (start: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
      return buffer.subarray(0, bytesRead);
    };
    const tailStart = Math.max(0, size - TAIL_BYTES);
    const tail = await readFrom(tailStart);
    const start = zipDirectoryStart(tail, tailStart);
    if (start === undefined || start > size || size - start > MAX_DIRECTORY_BYTES) return undefined;
    return readZipEntries(start < tailStart ? await readFrom(start) : tail, Math.min(start, tailStart));
  } finally {
    await file.close();
  }
}
