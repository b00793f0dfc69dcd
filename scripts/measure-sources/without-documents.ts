import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { newId } from '../../src/documents/ids.ts';
import { embeddingText } from '../../src/ingest/embedding-text.ts';
import type { FolderTarget } from '../../src/ingest/folders/folder-target.ts';
import { syncRemote } from '../../src/ingest/sources/sync-remote.ts';
import { createExternalResources } from '../../src/mcp/external-resources.ts';
import { readExternalServers } from '../../src/mcp/external-servers.ts';
import { readSettings, sourceKind } from '../../src/sources/kinds.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { createRemoteNetwork } from '../../src/web/remote-network.ts';
import type { MeasuredKind, MeasuredSource } from './sources.ts';

const MEGABYTE = 1_000_000;
const MAX_BYTES = 1_000_000;

/**
 * Synchronises in this process without ingesting anything, which measures listing, reading and recording. Processor
 * time and memory include the local server if it runs in this process.
 */
export async function measureWithoutDocuments(
  kind: MeasuredKind,
  { source, cwd, items, changed, removed }: MeasuredRun,
): Promise<void> {
  const certificate = source.env['NODE_EXTRA_CA_CERTS'];
  if (certificate !== undefined) {
    setDefaultCACertificates([...getCACertificates('default'), await readFile(certificate, 'utf8')]);
  }
  const path = join(cwd, 'citewell.db');
  const store = await openStore({ path, index: memoryVectorIndex(), embeddingText, readers: 1 });
  const open = createRemoteNetwork({ rules: { ports: new Set([80, 443]), open: [], allowPrivate: true } });
  const network = source.network ?? open;
  const { servers } = readExternalServers(source.env['CITEWELL_MCP_SERVERS'] ?? '{"mcpServers":{}}', {});
  const mcp = createExternalResources({ servers, version: '1.0.0' });
  const { address, settings } = readSettings(sourceKind(kind), {
    address: source.address,
    settings: (source.settings ?? {}) as never,
  });
  const location = { kind: 'remote', type: kind, address, settings, keepDeleted: false, everyMinutes: null } as const;
  const followed = { id: 'source', ownerId: newId(), collectionIds: [], createdAt: new Date().toISOString() };
  await store.followed.add({ ...followed, location, lastSync: null });
  const target = heldTarget();

  async function run(name: string, isFull: boolean, max = Number.POSITIVE_INFINITY): Promise<void> {
    const before = {
      requests: source.requests(),
      at: performance.now(),
      cpu: process.cpuUsage(),
      reads: target.reads(),
    };
    const counts: Record<string, number> = {};
    let [memory, done] = [0, 0];
    const connector = await sourceKind(kind).open(settings as never, source.credentials as never, { network, mcp });
    try {
      const steps = syncRemote({
        id: followed.id,
        pass: newId(),
        connector,
        records: store.followed,
        target,
        isFull,
        keepDeleted: false,
        maxBytesOf: () => MAX_BYTES,
        isSupported: () => true,
        signal: new AbortController().signal,
      });
      for await (const { outcome } of steps) {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        if (++done % 100 === 0) memory = Math.max(memory, process.memoryUsage.rss());
        if (done >= max) break;
      }
    } finally {
      await connector.close?.();
    }
    const { user, system } = process.cpuUsage(before.cpu);
    const cells = [
      kind,
      name,
      Object.entries(counts)
        .map(([outcome, number]) => `${number} ${outcome}`)
        .join(', '),
      ((performance.now() - before.at) / 1000).toFixed(1),
      ((user + system) / 1_000_000).toFixed(1),
      Math.round(memory / MEGABYTE),
      before.requests === undefined ? '' : Number(source.requests()) - before.requests,
      target.reads() - before.reads,
      loadavg()[0]?.toFixed(1),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }

  try {
    await run('first, until it ends early', true, items / 3);
    await run('continued', false);
    await run('nothing changed, by schedule', false);
    await run('nothing changed, asked for', true);
    await source.change(changed, removed);
    await run(`${changed} changed, ${removed} removed`, false);
  } finally {
    await open.close();
    await store.close();
  }
}

interface MeasuredRun {
  readonly source: MeasuredSource;
  readonly cwd: string;
  readonly items: number;
  readonly changed: number;
  readonly removed: number;
}

/** A target that ingests nothing, but keeps track of the documents that would exist. */
function heldTarget(): Pick<FolderTarget, 'ingest' | 'documentOf' | 'updateSource' | 'deleteDocuments'> & {
  reads(): number;
} {
  const held = new Set<string>();
  let reads = 0;
  return {
    reads: () => reads,
    async ingest({ source }) {
      reads++;
      const outcome = held.has(source) ? 'replaced' : 'ingested';
      held.add(source);
      return { outcome, documentId: source };
    },
    documentOf: async (source) =>
      held.has(source) ? { id: source, source, contentHash: '', status: 'success' } : undefined,
    updateSource: async () => undefined,
    deleteDocuments: async (ids) => {
      for (const id of ids) held.delete(id);
    },
  };
}
