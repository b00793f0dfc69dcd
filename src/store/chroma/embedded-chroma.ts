import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChromaClient } from 'chromadb';
import type { VectorIndex } from '../vector-index.ts';
import { createCallLimits } from './call-limits.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import type { ChromaLog } from './chroma-log.ts';
import { ChromaServer, type ChromaServerState } from './chroma-server.ts';
import { ChromaVectors } from './chroma-vectors.ts';
import { createDirectCalls } from './direct-calls.ts';
import { findBinding } from './find-binding.ts';
import { listCollectionNames } from './list-collection-names.ts';
import { findBindingPackage, thisHost } from './loadable-binding.ts';
import type { ServerChecks } from './prepared-client.ts';

const WAIT_FOR_START_MS = 10_000;
const TENANT = 'default_tenant';
const DATABASE = 'default_database';

export interface EmbeddedChromaOptions {
  /** Folder of the index; all of it can be rebuilt from the records. */
  readonly folder: string;
  /** Folder for a copy of the native module patched for this system. */
  readonly cacheFolder: string;
  readonly log: ChromaLog;
  /** The start waits until this resolves. */
  readonly startAfter?: Promise<void>;
}

/** The vector index in an embedded server. */
export interface EmbeddedChroma extends VectorIndex {
  /** State of the server, for status lines. */
  readonly server: ChromaServerState;
  /** Resolves when the server answers, after a start or a restart; rejects with the cause when it cannot start. */
  ready(): Promise<void>;
}

/**
 * Starts the server in the background and returns immediately: until it is up, `isHealthy` is false, and calls wait for
 * it up to ten seconds. Throws `not_configured` when this machine has no native Chroma.
 */
export async function openEmbeddedChroma(options: EmbeddedChromaOptions): Promise<EmbeddedChroma> {
  const { folder, cacheFolder, log, startAfter } = options;
  const host = thisHost();
  const binding = await findBindingPackage(host);
  const findFile = async () => {
    await startAfter;
    return findBinding({ binding, host, cacheFolder });
  };
  const server = new ChromaServer({ folder, log, binding: findFile });
  const vectors = new ChromaVectors({ connection: embeddedConnection(server, folder), prefix: 'citewell', log });
  return {
    get server() {
      return server.state;
    },
    ready: async () => void (await server.url(WAIT_FOR_START_MS)),
    isOurs: true,
    open: (name, dimensions) => vectors.open(name, dimensions),
    drop: (name) => vectors.drop(name),
    list: () => vectors.list(),
    isHealthy: () => vectors.isHealthy(),
    isStarting: () => server.isFirstStart,
    bytes: () => vectorFileBytes(folder),
    renew: () => server.empty(),
    onRecovered: (listener) => vectors.onRecovered(listener),
    close: () => vectors.close(),
  };
}

function embeddedConnection(server: ChromaServer, folder: string): ChromaConnection {
  let latest: { readonly url: string; readonly client: Promise<ChromaClient> } | undefined;
  const closing = new AbortController();
  const limits = createCallLimits();
  const direct = createDirectCalls();
  const addressOfDatabase = (): string | undefined => {
    const { state } = server;
    if (state.kind !== 'running') return undefined;
    return new URL(`/api/v2/tenants/${TENANT}/databases/${DATABASE}`, state.url).href;
  };
  return {
    limits,
    direct: {
      async query(question, endings) {
        const database = addressOfDatabase();
        return database === undefined ? undefined : direct.query(database, question, endings);
      },
      async upsert(write, endings) {
        const database = limits.checks()?.supports_base64_encoding === true ? addressOfDatabase() : undefined;
        return database !== undefined && direct.upsert(database, write, endings);
      },
    },
    storesScopes: false,
    closed: closing.signal,
    answers: (signal) => server.answers(signal),
    reportTimeout: () => void server.restartIfSilent(),
    where: `the embedded Chroma on ${folder}`,
    isOurs: true,
    async client(signal) {
      const url = await server.url(WAIT_FOR_START_MS, signal);
      if (signal) return clientFor(url, { checks: limits.checks(), signal });
      if (latest?.url !== url) latest = { url, client: clientFor(url, { checks: limits.checks() }) };
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
    onRecovered: (listener) => server.onRecovered(listener),
    empty: () => server.empty(),
    close() {
      closing.abort();
      direct.close();
      return server.stop();
    },
  };
}

async function clientFor(
  url: string,
  { checks, signal }: { readonly checks: ServerChecks | undefined; readonly signal?: AbortSignal },
): Promise<ChromaClient> {
  const { PreparedClient } = await import('./prepared-client.ts');
  const { hostname, port } = new URL(url);
  const place = { host: hostname, port: Number(port), ssl: false, tenant: TENANT, database: DATABASE };
  return new PreparedClient({ ...place, ...(signal && { fetchOptions: { signal } }) }, checks);
}

/**
 * Total bytes of the HNSW graphs below the folder. They keep a slot for every vector ever added, removed ones included.
 */
async function vectorFileBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names
    .filter((name) => name.endsWith('data_level0.bin'))
    .map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
