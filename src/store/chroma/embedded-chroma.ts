import { ChromaClient } from 'chromadb';
import type { VectorIndex } from '../vector-index.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import type { ChromaLog } from './chroma-log.ts';
import { ChromaServer, type ChromaServerState } from './chroma-server.ts';
import { ChromaVectors } from './chroma-vectors.ts';
import { listCollectionNames } from './list-collection-names.ts';
import { findBindingPackage, loadableBinding, thisHost } from './loadable-binding.ts';

const WAIT_FOR_START_MS = 10_000;
const TENANT = 'default_tenant';
const DATABASE = 'default_database';

export interface EmbeddedChromaOptions {
  /** Where the index lies; all of it can be rebuilt from the records. */
  readonly folder: string;
  /** Where a copy of the native module that fits this system may be kept. */
  readonly cacheFolder: string;
  readonly log: ChromaLog;
}

/** The vector index in a server of our own. */
export interface EmbeddedChroma extends VectorIndex {
  /** What its server is doing, for status lines. */
  readonly server: ChromaServerState;
  /** Resolves when the server answers for the first time or again; throws why when it cannot start. */
  ready(): Promise<void>;
}

/**
 * Starts the server in the background and returns at once: until it is up, `isHealthy` is false, and calls wait for it
 * up to ten seconds. Throws `not_configured` when this machine has no native Chroma.
 */
export async function openEmbeddedChroma({ folder, cacheFolder, log }: EmbeddedChromaOptions): Promise<EmbeddedChroma> {
  const host = thisHost();
  const binding = await findBindingPackage(host);
  const server = new ChromaServer({ folder, log, binding: () => loadableBinding(binding, host, cacheFolder) });
  const vectors = new ChromaVectors({ connection: embeddedConnection(server, folder), prefix: 'citewell', log });
  return {
    get server() {
      return server.state;
    },
    ready: async () => void (await server.url(WAIT_FOR_START_MS)),
    open: (name, dimensions) => vectors.open(name, dimensions),
    drop: (name) => vectors.drop(name),
    list: () => vectors.list(),
    isHealthy: () => vectors.isHealthy(),
    onRecovered: (listener) => vectors.onRecovered(listener),
    close: () => vectors.close(),
  };
}

function embeddedConnection(server: ChromaServer, folder: string): ChromaConnection {
  let latest: { readonly url: string; readonly client: ChromaClient } | undefined;
  return {
    where: `the embedded Chroma on ${folder}`,
    isOurs: true,
    async client(signal) {
      const url = await server.url(WAIT_FOR_START_MS, signal);
      if (signal) return clientFor(url, signal);
      // The client asks the server for its limits once: it is worth keeping as long as the address stays.
      if (latest?.url !== url) latest = { url, client: clientFor(url) };
      return latest.client;
    },
    isUp: () => server.state.kind === 'running',
    collectionNames: async () =>
      listCollectionNames({
        url: await server.url(WAIT_FOR_START_MS),
        tenant: TENANT,
        database: DATABASE,
        headers: {},
      }),
    onComeback: (listener) => server.onComeback(listener),
    empty: () => server.empty(),
    close: () => server.stop(),
  };
}

function clientFor(url: string, signal?: AbortSignal): ChromaClient {
  const { hostname, port } = new URL(url);
  return new ChromaClient({
    host: hostname,
    port: Number(port),
    ssl: false,
    tenant: TENANT,
    database: DATABASE,
    ...(signal && { fetchOptions: { signal } }),
  });
}
