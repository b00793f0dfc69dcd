import { writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Corpus } from '../../corpus.ts';
import type { Database } from '../database.ts';
import { foundVisible, type OriginalRecords } from './original-records.ts';
import { type FindOriginal, type FoundOriginal, wantedBytes } from './record-pieces.ts';

/** The operations of a corpus that read uploaded files. */
export function createOriginalReads(
  { reader, saveOriginal }: Database,
  originals: OriginalRecords,
): Pick<Corpus, 'bytesOf' | 'originalOf' | 'saveOriginal'> {
  /** Finds the file that was submitted last, even if it still waits to replace the visible content. */
  const findSubmitted =
    (id: string): FindOriginal =>
    async (wanted) => {
      const { rows } = await sql<FoundOriginal>`
        select ${wantedBytes(sql`f.bytes`, wanted)} as bytes, octet_length(f.bytes) as size, f.object,
          d.content_hash || coalesce(d.submitted, '') as identity
        from document_files f join documents d on d.key = f.document_key where d.id = ${id.toLowerCase()}`.execute(
        reader,
      );
      return rows[0];
    };
  /** Finds the file of the visible content. */
  const findVisible =
    (id: string): FindOriginal =>
    async (wanted) => {
      const { rows } = await sql<FoundOriginal>`
        select ${foundVisible(wanted)}, d.content_hash as identity from document_files f
        join documents d on d.key = f.document_key
        left join visible_originals o on o.document_key = f.document_key where d.id = ${id.toLowerCase()}`.execute(
        reader,
      );
      return rows[0];
    };

  return {
    bytesOf: (id) => originals.read(findSubmitted(id)),
    originalOf: (id) => originals.open(findVisible(id)),

    async saveOriginal(id, path) {
      const row = await reader
        .selectFrom('document_files as f')
        .innerJoin('documents as d', 'd.key', 'f.document_key')
        .select(['d.key', 'f.object'])
        .where('d.id', '=', id.toLowerCase())
        .executeTakeFirst();
      if (row === undefined) return false;
      if (row.object === null && saveOriginal !== undefined) return saveOriginal({ documentKey: row.key, path });
      const original = await originals.open(findSubmitted(id));
      if (original === undefined) return false;
      await writeFile(path, original.stream(), { mode: 0o600, flag: 'wx' });
      return true;
    },
  };
}
