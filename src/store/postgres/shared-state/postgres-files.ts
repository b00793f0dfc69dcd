import { type Kysely, sql } from 'kysely';
import type { SharedFiles } from '../../shared-state.ts';
import type { Tables } from '../../sql/schema.ts';

/** Files are read over the reader connections, because large ones would delay the events of runs. */
export function createPostgresFiles(
  { database, reader }: { readonly database: Kysely<Tables>; readonly reader: Kysely<Tables> },
  serverKey: number,
): SharedFiles {
  return {
    async insert(ownerId, id, files) {
      for (const { name, mediaType, contentHash, bytes } of files) {
        await sql`
          insert into cluster_files (run_id, name, owner_id, server_key, media_type, content_hash, size, bytes)
          values (${id}, ${name}, ${ownerId}, ${serverKey}, ${mediaType}, ${contentHash}, ${bytes.byteLength},
            ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)})`.execute(database);
      }
    },

    async get(ownerId, id, name, retentionMs) {
      const { rows } = await sql<{ media_type: string; content_hash: string; bytes: Uint8Array }>`
        select media_type, content_hash, bytes from cluster_files
        where run_id = ${id} and name = ${name} and owner_id = ${ownerId}
          and kept_at > clock_timestamp() - ${retentionMs} * interval '1 millisecond'`.execute(reader);
      return rows.map((row) => ({
        name,
        mediaType: row.media_type,
        contentHash: row.content_hash,
        bytes: row.bytes,
      }))[0];
    },

    async removeOfOwner(ownerId) {
      await sql`delete from cluster_files where owner_id = ${ownerId}`.execute(database);
    },

    async trim({ retentionMs, maxBytes }) {
      await sql`
        delete from cluster_files where kept_at < clock_timestamp() - ${retentionMs} * interval '1 millisecond'`.execute(
        database,
      );
      await sql`
        delete from cluster_files where run_id in (
          select run_id from (
            select run_id, row_number() over latest as place, sum(size) over latest as total from (
              select run_id, max(kept_at) as kept_at, sum(size) as size from cluster_files
              where server_key = ${serverKey} group by run_id) runs
            window latest as (order by kept_at desc, run_id)) kept
          where place > 1 and total > ${maxBytes})`.execute(database);
    },
  };
}
