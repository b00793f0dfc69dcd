import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { findFiles } from '../ingest/folders/find-files.ts';
import { followFolders } from '../ingest/folders/follow-folders.ts';
import { isSupported } from '../ingest/folders/supported-files.ts';
import { readServerInfo } from '../store/server-info.ts';
import { shareStore } from '../store/share-store.ts';
import type { FollowedFolder } from '../toolbox/tool-ports.ts';
import { httpClient } from './http-client.ts';
import { createServerLink, type ServerAddress } from './server-link.ts';

export interface Following {
  folders(): readonly FollowedFolder[];
  close(): Promise<void>;
}

/**
 * Keeps documents in sync with these folders while the process runs. `warm` makes sure that some process holds the data
 * folder, possibly this one.
 */
export function followInBackground(
  roots: readonly string[],
  { dataDir, maxFileBytes: maxBytes }: Config,
  { warm, report }: { warm(): Promise<void>; report(message: string): void },
): Following {
  const stop = new AbortController();
  const { signal } = stop;
  const folders = new Map<string, FollowedFolder>(
    roots.map((path) => [path, { path, state: 'reading', done: 0, failed: 0 }]),
  );
  const change = (path: string, changes: (before: FollowedFolder) => Partial<FollowedFolder>) => {
    const before = folders.get(path);
    if (before !== undefined) folders.set(path, { ...before, ...changes(before) });
  };
  const link = createServerLink(
    shareStore<ServerAddress>({
      async find() {
        await warm();
        const info = await readServerInfo(dataDir);
        return info && { url: info.url, token: info.token, isLasting: info.role !== 'command' };
      },
      open: () => Promise.reject(new ServiceError('conflict', 'The data folder is being opened.')),
    }),
  );

  async function count(path: string): Promise<void> {
    let total = 0;
    for await (const { kind } of findFiles(path, { isSupported, dataFolder: dataDir, signal })) {
      if (kind === 'file') total++;
    }
    change(path, () => ({ total }));
  }

  async function follow(path: string): Promise<void> {
    try {
      count(path).catch(() => undefined);
      await followFolders({
        client: await httpClient(link),
        roots: [path],
        dataFolder: dataDir,
        metadata: {},
        collections: [],
        maxBytes,
        keepDeleted: false,
        stop: signal,
        abandon: signal,
        onStep(step) {
          const isFile = step.type === 'document' || step.type === 'unchanged' || step.type === 'moved';
          const hasFailed = step.type === 'document' && step.outcome === 'failed';
          change(path, ({ state, done, failed }) => ({
            done: done + (isFile && state === 'reading' ? 1 : 0),
            failed: failed + (hasFailed ? 1 : 0),
          }));
        },
        onCaughtUp: () => change(path, () => ({ state: 'following' })),
        onLost: () => {},
      });
    } catch (error) {
      if (signal.aborted) return;
      const reason = (error as Error).message;
      change(path, () => ({ state: 'stopped', reason }));
      report(`${path} is not watched: ${reason}`);
    }
  }

  const all = Promise.all(roots.map(follow));
  return {
    folders: () => [...folders.values()],
    async close() {
      stop.abort();
      await all;
      await link.close();
    },
  };
}
