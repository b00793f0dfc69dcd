import { ServiceError } from '../../../errors.ts';
import type { Reader } from '../reader.ts';
import { readArchive } from './archive.ts';
import type { InnerFile } from './inner-files.ts';
import { readZipEntries, unpackEntry, type ZipEntry } from './zip-entries.ts';

/** Zip archives of files of any readable format. */
export const zipReader: Reader = {
  read: (input) => {
    const { bytes, fileName } = input;
    const entries = readZipEntries(bytes);
    if (entries === undefined) {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is damaged or was cut off: its list of files cannot be read. Send the whole file again.`,
      );
    }
    requireUnlocked(entries, fileName);
    return readArchive(
      filesOf(entries).map((entry) => toFile(bytes, entry)),
      input,
    );
  },
};

const filesOf = (entries: readonly ZipEntry[]): readonly ZipEntry[] =>
  entries.filter(({ name }) => !/[/\\]$/.test(name));

/** Throws `invalid_request` if all files of the archive are encrypted. */
export function requireUnlocked(entries: readonly ZipEntry[], fileName: string): void {
  const files = filesOf(entries);
  if (files.length === 0 || !files.every(({ isEncrypted }) => isEncrypted)) return;
  throw new ServiceError(
    'invalid_request',
    `${fileName} is encrypted and needs a password. Save it without one first.`,
  );
}

const STORED = 0;
const DEFLATED = 8;

const toFile = (archive: Uint8Array, entry: ZipEntry): InnerFile => ({
  name: entry.name,
  bytes(maxBytes) {
    if (entry.isEncrypted) throw new ServiceError('invalid_request', 'It is encrypted and needs a password.');
    if (entry.method !== STORED && entry.method !== DEFLATED)
      throw new ServiceError('invalid_request', `It uses an unsupported compression method (${entry.method}).`);
    return unpackEntry(archive, entry, Math.max(1, maxBytes));
  },
});
