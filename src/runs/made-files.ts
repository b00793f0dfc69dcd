import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

export interface NewFile {
  /** Relative path, unique within its run. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface MadeFile extends NewFile {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly contentHash: string;
}

export interface MadeFilesSettings {
  /** Milliseconds for which files are kept. */
  readonly retentionMs: number;
  /** Maximum bytes kept by one server; the files of the oldest runs are dropped first. */
  readonly maxBytes: number;
}

export const defaultMadeFilesSettings: MadeFilesSettings = { retentionMs: 60 * 60_000, maxBytes: 256_000_000 };

/** Files made by tool calls, until they expire or newer ones need the room. */
export interface MadeFiles {
  /** Returns the id of the run under which the files can be read. */
  keep(ownerId: string, files: readonly NewFile[]): Promise<string>;
  /** Throws `not_found` alike for unknown, expired and foreign files. */
  get(ownerId: string, id: string, name: string): Promise<MadeFile>;
  removeOfOwner(ownerId: string): Promise<void>;
  close(): Promise<void>;
}

export const withHash = (file: NewFile): MadeFile => ({
  ...file,
  contentHash: createHash('sha256').update(file.bytes).digest('hex'),
});

export function noSuchFile(id: string, name: string, { retentionMs }: MadeFilesSettings): ServiceError {
  const minutes = Math.round(retentionMs / 60_000);
  return new ServiceError(
    'not_found',
    `There is no file ${name} of the run ${id}. Files are kept for ${minutes} minutes at most; run the code again.`,
  );
}
