import { sql } from 'kysely';
import type { ChunkContextRecords } from '../../chunk-context-records.ts';
import type { Database } from '../database.ts';
import { dialectOf } from '../sql-dialect.ts';
import { inBatches } from '../sqlite/key-ranges.ts';

const HASHES_PER_QUERY = 1_000;

/** ChunkContextRecords; the rows are deleted with their document. */
export function createChunkContexts({ reader, writer }: Database): ChunkContextRecords {
  return {
    async known(documentId, hashes) {
      const found = new Map<string, string>();
      for (const batch of inBatches(hashes, HASHES_PER_QUERY)) {
        const rows = await reader
          .selectFrom('chunk_contexts as c')
          .innerJoin('documents as d', 'd.key', 'c.document_key')
          .select(['c.hash', 'c.context'])
          .where('d.id', '=', documentId)
          .where('c.hash', 'in', batch)
          .execute();
        for (const { hash, context } of rows) found.set(hash, context);
      }
      return found;
    },

    async keep(documentId, hash, context) {
      await sql`
        insert into chunk_contexts (document_key, hash, context, created_at)
        select key, ${hash}, ${context}, ${new Date().toISOString()} from documents where id = ${documentId}
        on conflict do nothing`.execute(writer);
    },

    async forgetOthers(documentId, hashes) {
      await sql`
        delete from chunk_contexts where document_key = (select key from documents where id = ${documentId})
          and hash not in ${dialectOf(writer).texts(hashes)}`.execute(writer);
    },
  };
}
