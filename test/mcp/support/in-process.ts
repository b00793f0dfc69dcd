import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import express from 'express';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { connectionOffers, offerFor } from '../../../src/cli/offer-tools.ts';
import { loadConfig } from '../../../src/config.ts';
import { createLexicalHash } from '../../../src/embeddings/lexical-hash.ts';
import { listen } from '../../../src/http/serve.ts';
import { embeddingText } from '../../../src/ingest/embedding-text.ts';
import { createIngestor } from '../../../src/ingest/ingest-document.ts';
import type { Backend } from '../../../src/mcp/backend.ts';
import type { ToolSelectionOptions } from '../../../src/mcp/choose-tools.ts';
import { type McpHttpParts, mcpOverHttp } from '../../../src/mcp/http.ts';
import { createLocalBackend } from '../../../src/mcp/local-backend.ts';
import type { McpServices } from '../../../src/mcp/mcp-services.ts';
import { mcpServers } from '../../../src/mcp/server.ts';
import { createExtractiveModel } from '../../../src/models/extractive/extractive-model.ts';
import { createModelRegistry } from '../../../src/models/registry.ts';
import { createAnswerer } from '../../../src/rag/answer-question.ts';
import { createAnswerChecker } from '../../../src/rag/check-answer.ts';
import { createRetriever } from '../../../src/retrieval/create-retriever.ts';
import { withOutlines } from '../../../src/retrieval/with-outlines.ts';
import { defaultRunLogSettings, RunLog } from '../../../src/runs/run-log.ts';
import { toolsets } from '../../../src/services/tool-catalogue.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openCollections } from '../../../src/store/sql/index-sync/open-collections.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import { createChunkSearch } from '../../../src/store/sql/search/chunk-search.ts';
import { watchCorpus } from '../../../src/store/watch-corpus.ts';
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
}

/**
 * The MCP interface over loopback on a corpus of its own: everything is real except for the vector index, which is in
 * memory.
 */
export async function startInProcess({ options = {}, http, change }: InProcessOptions = {}): Promise<InProcess> {
  const folder = await ownFolder();
  await mkdir(join(folder, 'files'));
  const index = memoryVectorIndex();
  const store = await openStore({
    path: await migratedDatabase(join(folder, 'citewell.db')),
    index,
    embeddingText,
    readers: 1,
  });
  const { sqlite, spaces, collections, maintenance } = store;
  const { corpus, changes } = watchCorpus(store.corpus);
  const embeddings = createLexicalHash();
  await spaces.claim(await embeddings.space(AbortSignal.timeout(60_000)));
  const ingestor = createIngestor({ corpus, spaces, collections, embeddings, queue: store.queue });
  const search = { search: sqlite.search, collections: openCollections(index), state: maintenance.state };
  const retriever = withOutlines(createRetriever({ chunks: createChunkSearch(search), embedder: embeddings }), corpus);
  const models = createModelRegistry({ extractive: createExtractiveModel() });
  const runs = new RunLog(defaultRunLogSettings);
  const real: McpServices = {
    corpus,
    changes,
    collections,
    retriever,
    ingestor,
    sources: store.sources,
    checker: createAnswerChecker({ retriever, library: corpus, analyser: { analyse, analyseQuery } }),
    answerer: createAnswerer({ retriever, models, analyser: { analyse, analyseQuery } }),
    agent: { prepare: () => Promise.reject(new Error('There is no agent in this test.')) },
    runs,
    models,
    tools: [...new Set(Object.values(toolsets).flat())],
    status: async () => ({
      model: 'builtin/extractive',
      embedder: embeddings.name,
      data: '/data',
      index: { kind: 'memory', state: 'ready' },
      hints: [],
    }),
    log: pino({ level: 'silent' }),
  };
  const services = { ...real, ...change?.(real) };
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
    await runs.close();
    await ingestor.close();
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
      const accepted = await ingestor.submit({
        content: { kind: 'text', text },
        title,
        ownerId: defaultAdmin.userId,
        metadata: { topic: title.toLowerCase() },
        collectionIds: [],
        settings: {},
      });
      for await (const event of ingestor.run(accepted.document.id, AbortSignal.timeout(60_000))) {
        if (event.type === 'failed') throw event.error;
      }
      return accepted.document.id;
    },
  };
}
