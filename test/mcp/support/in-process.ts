import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import express from 'express';
import { onTestFinished } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { connectionOffers, offerFor } from '../../../src/cli/offer-tools.ts';
import { compose } from '../../../src/compose/compose.ts';
import { loadConfig } from '../../../src/config.ts';
import { listen } from '../../../src/http/serve.ts';
import { embeddingText } from '../../../src/ingest/embedding-text.ts';
import type { Backend } from '../../../src/mcp/backend.ts';
import type { ToolSelectionOptions } from '../../../src/mcp/choose-tools.ts';
import { type McpHttpParts, mcpOverHttp } from '../../../src/mcp/http.ts';
import { createLocalBackend } from '../../../src/mcp/local-backend.ts';
import type { McpServices } from '../../../src/mcp/mcp-services.ts';
import { mcpServers } from '../../../src/mcp/server.ts';
import { type MemoryVectorIndex, memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import { adaptersOver } from '../../support/adapters.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { eraOptions, ownFolder } from './citewell-mcp.ts';

export interface InProcess {
  readonly services: McpServices;
  readonly backend: Backend;
  /** A folder that `ingest_file` may read. */
  readonly folder: string;
  readonly url: string;
  connect(
    era?: 'legacy' | 'modern',
    over?: { readonly path?: string; readonly headers?: Record<string, string> },
  ): Promise<Client>;
  /** Ingests a text and waits until it can be searched. */
  add(title: string, text: string): Promise<string>;
}

interface InProcessOptions {
  readonly options?: ToolSelectionOptions;
  readonly http?: Partial<McpHttpParts>;
  /** Replaces parts of the real services. */
  readonly change?: (services: McpServices) => Partial<McpServices>;
  /** A PostgreSQL database and an index, which several of these can share. */
  readonly shared?: { readonly url: string; readonly index: MemoryVectorIndex };
}

/**
 * The MCP interface over loopback on a corpus of its own: everything is real except for the vector index, which is in
 * memory.
 */
export async function startInProcess({
  options = {},
  http,
  change,
  shared,
}: InProcessOptions = {}): Promise<InProcess> {
  const folder = await ownFolder();
  await mkdir(join(folder, 'files'));
  const index = shared?.index ?? memoryVectorIndex();
  const parts = { index, embeddingText, readers: 1 };
  const store = shared
    ? await openPostgresStore({ ...parts, url: shared.url })
    : await openStore({ ...parts, path: await migratedDatabase(join(folder, 'citewell.db')) });
  const own = await compose(adaptersOver({ ...store, index })).start();
  const services = { ...own, ...change?.(own) };
  const backend = createLocalBackend(services);
  const folders = [join(folder, 'files')];
  const config = loadConfig({ env: {}, cwd: folder });
  const offer = offerFor(config, options, folders);
  const mcp = mcpOverHttp({
    createServer: mcpServers({ backend, offer, folders, version: '0.0.0' }),
    backend,
    authenticate: async () => defaultAdmin,
    allowedHosts: ['localhost', '127.0.0.1'],
    allowedOrigins: ['localhost', '127.0.0.1'],
    offerFor: connectionOffers(config, offer, folders),
    onError: () => {},
    ...http,
  });
  const app = express();
  app.use('/mcp', mcp.router);
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const url = `${server.url}/mcp`;
  onTestFinished(async () => {
    await mcp.close();
    await server.close();
    await backend.close();
    await own.close();
    await store.close();
  });
  return {
    services,
    backend,
    folder: join(folder, 'files'),
    url,
    async connect(era = 'modern', { path = '', headers = {} } = {}) {
      const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions(era));
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit: { headers } }));
      onTestFinished(() => client.close());
      return client;
    },
    async add(title, text) {
      const accepted = await services.ingestor.submit({
        content: { kind: 'text', text },
        title,
        ownerId: defaultAdmin.userId,
        metadata: { topic: title.toLowerCase() },
        collectionIds: [],
        settings: {},
      });
      for await (const event of services.ingestor.run(accepted.document.id, AbortSignal.timeout(60_000))) {
        if (event.type === 'failed') throw event.error;
      }
      return accepted.document.id;
    },
  };
}
