import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import { onAbort } from '../../shared/abort.ts';
import { Condition } from '../../shared/condition.ts';
import { LruMap } from '../../shared/lru-map.ts';
import { type FileEvents, watchFiles } from './file-events.ts';
import type { FolderStep } from './folder-step.ts';
import type { FolderTarget } from './folder-target.ts';
import { createPendingPaths, type PendingPaths } from './pending-paths.ts';
import { type SyncParts, syncPaths } from './sync-folder.ts';

export interface FollowParts {
  readonly client: FolderTarget;
  /** Absolute, real paths of folders, none below another. */
  readonly roots: readonly string[];
  readonly dataFolder: string;
  /** Maximum size in bytes; larger files are not read. */
  readonly maxBytes?: number | undefined;
  readonly metadata: Metadata;
  readonly collections: readonly string[];
  readonly keepDeleted: boolean;
  readonly within?: readonly string[];
  /** When aborted, no new work is started. */
  readonly stop: AbortSignal;
  /** When aborted, work in progress is cancelled. */
  readonly abandon: AbortSignal;
  readonly onStep: (step: FolderStep) => void;
  /** Called when the first pass over all files is complete. */
  readonly onCaughtUp: () => void;
  /** Called when the process that holds the data folder has ended; it is contacted again shortly. */
  readonly onLost: (error: ServiceError) => void;
}

/** A file is ingested after it has been unchanged for this long, or after the maximum below. */
const QUIET_MS = 500;
const MAX_WAIT_MS = 60_000;
const RETRY_INTERVAL_MS = 2_000;
/** Interval of full passes, in case events were lost. */
const POLL_INTERVAL_MS = 10 * 60_000;
/** Skipped files that are remembered per folder; others are read again in each full pass. */
const MAX_SKIPPED = 10_000;

/** A followed folder with its pending paths. */
interface Watched {
  readonly root: string;
  readonly pending: PendingPaths;
  readonly duplicates: SyncParts['duplicates'];
  readonly skipped: LruMap<string, string>;
  /** Time since which a changing file has been waiting, by path. */
  readonly unsettled: Map<string, number>;
}

/** Keeps documents in step with folders until stopped. */
export async function followFolders(parts: FollowParts): Promise<void> {
  const { roots, dataFolder, stop, onLost } = parts;
  const activity = new Condition();
  const wake = () => activity.notify();
  const stopListening = onAbort(stop, wake);

  const folders = roots.map((root): Watched => {
    const pending = createPendingPaths(root, { quietMs: QUIET_MS, maxMs: MAX_WAIT_MS });
    return { root, pending, duplicates: new Map(), skipped: new LruMap({ max: MAX_SKIPPED }), unsettled: new Map() };
  });
  const all = () => {
    for (const { root, pending } of folders) pending.add(root);
    wake();
  };
  const events: FileEvents[] = [];
  const pollTimer = setInterval(all, POLL_INTERVAL_MS);
  let hasCaughtUp = false;
  try {
    // Watching starts before the first pass, so that no change during it is missed.
    for (const { root, pending } of folders) {
      const onPath = (path: string) => {
        pending.add(path);
        wake();
      };
      events.push(await watchFiles({ root, dataFolder, onPath, onLost: all }));
    }
    all();
    while (!stop.aborted) {
      const now = hasCaughtUp ? performance.now() : Number.POSITIVE_INFINITY;
      try {
        for (const folder of folders) {
          const paths = folder.pending.takeDue(now);
          if (paths.length > 0) await syncFolder(folder, paths, parts);
        }
        if (!hasCaughtUp && !stop.aborted) {
          hasCaughtUp = true;
          parts.onCaughtUp();
        }
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'store_failed') throw error;
        if (stop.aborted) return;
        onLost(error);
        all();
        await sleep(RETRY_INTERVAL_MS, undefined, { signal: stop }).catch(() => undefined);
        continue;
      }
      if (stop.aborted) return;
      const waits = folders.map(({ pending }) => pending.untilDue(performance.now()) ?? POLL_INTERVAL_MS);
      const over = new AbortController();
      const timeout = sleep(Math.min(...waits), undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([activity.next, timeout]);
      over.abort();
    }
  } finally {
    clearInterval(pollTimer);
    stopListening();
    await Promise.all(events.map((each) => each.close()));
  }
}

async function syncFolder(
  { root, pending, duplicates, skipped, unsettled }: Watched,
  paths: readonly string[],
  { client, dataFolder, maxBytes, metadata, collections, keepDeleted, within, stop, abandon, onStep }: FollowParts,
): Promise<void> {
  const steps = syncPaths(paths, {
    client,
    root,
    dataFolder,
    maxBytes,
    duplicates,
    skipped,
    stop,
    abandon,
    metadata,
    collections,
    keepDeleted,
    within,
    settleMs: (path) => (performance.now() - (unsettled.get(path) ?? performance.now()) > MAX_WAIT_MS ? 0 : QUIET_MS),
  });
  try {
    for await (const step of steps) {
      if (step.type === 'unsettled') {
        if (!unsettled.has(step.name)) unsettled.set(step.name, performance.now());
        pending.add(step.name);
        continue;
      }
      unsettled.delete(step.name);
      onStep(step);
    }
  } catch (error) {
    // Paths that failed are retried when the process is back.
    for (const path of paths) pending.add(path);
    throw error;
  }
}
