import { undefinedIfMissing } from './migration.ts';
import type { MigrationSource } from './migration-source.ts';
import { r2rUser, readRecord } from './r2r-records.ts';
import type { V3Connection } from './v3-connection.ts';

/** A running R2R server as a source, limited to content that the caller may see. */
export function apiSource(server: V3Connection): MigrationSource {
  const whoAmI = async () => readRecord(r2rUser, await server.get('/users/me'), 'user');
  return {
    name: server.url,
    hasUsers: false,
    describe: async () => (await whoAmI()).email,
    counts: async () => ({
      user: 0,
      collection: await server.count('/collections'),
      document: await server.count('/documents'),
      conversation: await server.count('/conversations'),
    }),
    async *users() {},
    collections: () => server.list('/collections'),
    documents: () => server.list('/documents'),
    conversations: () => server.list('/conversations'),
    messagesOf: async (id) => {
      const messages = await server.get(`/conversations/${id}`);
      return Array.isArray(messages) ? messages : [];
    },
    fileOf: (id) => undefinedIfMissing(server.bytes(`/documents/${id}/download`)),
    chunksOf: (id) => server.list(`/documents/${id}/chunks`),
    defaultOwner: async () => (await whoAmI()).id,
    close: async () => {},
  };
}
