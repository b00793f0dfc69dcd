import { writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { freeBytes } from '../../../shared/transferable-bytes.ts';
import type { Operations } from './sqlite-messages.ts';

export interface OriginalToSave {
  readonly documentKey: number;
  /** The file to create; it must not exist yet. */
  readonly path: string;
}

/** Operations on stored files that run in the database threads, by name. */
export const fileOperations = {
  /**
   * Writes the stored bytes to a file from within the thread, so that memory holds at most two copies. False if the
   * document has no file record.
   */
  saveOriginal: (database: DatabaseSync, { documentKey, path }: OriginalToSave): boolean => {
    const row = database.prepare('select bytes from document_files where document_key = ?').get(documentKey);
    const bytes = row?.['bytes'];
    if (!(bytes instanceof Uint8Array)) return false;
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
    freeBytes(bytes);
    return true;
  },
} satisfies Operations;
