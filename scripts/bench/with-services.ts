import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChromaClient } from 'chromadb';
import { openAdapters } from '../../src/adapters/open-adapters.ts';
import { commandLog } from '../../src/cli/log.ts';
import { processOutput } from '../../src/cli/output.ts';
import { compose } from '../../src/compose/compose.ts';
import type { Services } from '../../src/compose/services.ts';
import { loadConfig } from '../../src/config.ts';
import { member } from '../kill-test/api.ts';
import { chromasOn } from '../kill-test/processes.ts';

export interface Opened {
  readonly services: Services;
  /** Writes to the index what it lacks of the records. */
  updateIndex(): Promise<void>;
  /** A second client of the embedded Chroma. */
  readonly chroma: ChromaClient;
  /** The collection that the services search. */
  readonly collectionId: string;
}

/** Opens everything that `serve` opens on a folder, waits until the index is up to date, and closes it after `use`. */
export async function withServices<Result>(
  folder: string,
  use: (opened: Opened) => Promise<Result>,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  await mkdir(folder, { recursive: true });
  const config = loadConfig({ env, cwd: folder });
  const log = commandLog('warn', processOutput(process.stdout, process.stderr));
  const adapters = await openAdapters(config, { log });
  const services = await compose(adapters).start();
  try {
    while ((await services.status()).index.state !== 'ready') await sleep(20);
    const [process] = await chromasOn(config.dataDir);
    // With pgvector, no Chroma is running.
    const port = process?.port;
    const path = '/api/v2/tenants/default_tenant/databases/default_database/collections';
    const collections: unknown =
      port === undefined ? [] : await (await fetch(`http://127.0.0.1:${port}${path}`)).json();
    const collectionId =
      port === undefined ? '' : String(member(Array.isArray(collections) ? collections[0] : undefined, 'id'));
    const chroma = new ChromaClient({ host: '127.0.0.1', port: port ?? 0, ssl: false });
    return await use({ services, updateIndex: adapters.store.maintenance.replayOutbox, chroma, collectionId });
  } finally {
    await services.close();
  }
}
