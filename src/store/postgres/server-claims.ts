import { sql } from 'kysely';
import type { SharedRecords } from '../sql/database.ts';

type ServerClaims = Pick<SharedRecords, 'documentsInProgress' | 'tokenOf' | 'removeEndedServers' | 'releaseOwnClaims'>;

/** The claims on work of the server with this key and of the others. */
export const serverClaims = (key: number): ServerClaims => ({
  async documentsInProgress(database, work, whose) {
    const { rows } = await sql<{ document: number }>`
      select document_key as document from cluster_claims
      where kind = ${work} and server_key in (select key from cluster_servers_running)
        and (${whose !== 'others'} or server_key <> ${key})`.execute(database);
    return rows.map(({ document }) => document);
  },

  async tokenOf(database, work, document) {
    const { rows } = await sql<{ token: number }>`
      select token from cluster_claims
      where kind = ${work} and document_key = ${document} and server_key = ${key}`.execute(database);
    return rows[0]?.token;
  },

  async removeEndedServers(database) {
    await sql`delete from cluster_servers where key not in (select key from cluster_servers_running)`.execute(database);
    await sql`delete from cluster_claims where server_key not in (select key from cluster_servers)`.execute(database);
  },

  async releaseOwnClaims(database) {
    await sql`delete from cluster_claims where server_key = ${key}`.execute(database);
  },
});
