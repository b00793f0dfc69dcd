import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexMaintenance, IndexState } from '../index-state.ts';
import type { VectorIndex } from '../vector-index.ts';
import { type OpenCollections, openCollections } from './open-collections.ts';
import type { Sqlite } from './open-sqlite.ts';
import { replayOutbox } from './outbox.ts';
import { reconcileCollection } from './reconcile-collection.ts';
import { createSharedUpserts } from './shared-upserts.ts';
import { currentSpace, type SpaceRow } from './space-rows.ts';
import { upsertFromRecords } from './upsert-from-records.ts';

/** The store's own view of the index's maintenance. */
export interface IndexUpkeep extends IndexMaintenance {
  readonly collections: OpenCollections;
  /** False when the index could not take them; the caller then has to owe them. */
  tryUpsert(space: SpaceRow, keys: readonly number[]): Promise<boolean>;
  /** Says that something may be owed; it is done in the background. */
  nudge(): void;
  /** Compares the index with the records before it is searched alone again, as after a change of space. */
  distrust(): void;
  /** Waits for the step under way. */
  close(): Promise<void>;
}

export interface IndexUpkeepParts {
  readonly sqlite: Sqlite;
  readonly index: VectorIndex;
  /** Told of trouble that nobody waits for. */
  readonly report?: (message: string, cause?: unknown) => void;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;

/** One worker hands the index what it is owed and audits it, whenever there is reason to, and tries again on failure. */
export function createIndexUpkeep({ sqlite, index, report }: IndexUpkeepParts): IndexUpkeep {
  const collections = openCollections(index);
  const upserts = createSharedUpserts((space, keys) => upsertFromRecords({ sqlite, collections, space, keys }));
  const stopping = new AbortController();
  const { signal } = stopping;
  let state: IndexState = { kind: 'checking' };
  let needsAudit = true;
  let work: Promise<void> | undefined;
  let nudged = false;
  let isRetrying = false;
  let retryAfter = FIRST_RETRY_MS;

  const auditCurrent = async () => {
    needsAudit = false;
    const space = await currentSpace(sqlite.reader);
    const onProgress = (done: number, total: number) => {
      state = { kind: 'rebuilding', done, total };
    };
    if (space !== undefined) await reconcileCollection({ sqlite, collections, space, signal, onProgress });
    if (!needsAudit && !signal.aborted) state = { kind: 'in_step' };
  };

  const runOnce = async () => {
    try {
      do {
        nudged = false;
        await replayOutbox(sqlite, collections, signal);
        if (needsAudit) await auditCurrent();
      } while ((nudged || needsAudit) && !signal.aborted);
      retryAfter = FIRST_RETRY_MS;
    } catch (error) {
      if (!signal.aborted) markDown(error);
      throw error;
    } finally {
      // In the same breath as the last look at what was asked for, so that no request falls between.
      work = undefined;
    }
  };

  const run = (): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    nudged = true;
    work ??= runOnce();
    return work;
  };

  const runInBackground = () => void run().catch(() => {});

  const markDown = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (state.kind !== 'down') report?.('The vector index does not answer; searches compare vectors exactly.', error);
    state = { kind: 'down', reason };
    needsAudit = true;
    void retryLater();
    retryAfter = Math.min(retryAfter * 2, LAST_RETRY_MS);
  };

  const retryLater = async () => {
    if (isRetrying) return;
    isRetrying = true;
    await sleep(retryAfter, undefined, { ref: false, signal }).catch(() => {});
    isRetrying = false;
    runInBackground();
  };

  const distrust = () => {
    needsAudit = true;
    if (state.kind === 'in_step') state = { kind: 'checking' };
    runInBackground();
  };
  index.onRecovered(distrust);

  return {
    collections,
    state: () => state,
    replayOutbox: run,
    audit() {
      needsAudit = true;
      return run();
    },
    async tryUpsert(space, keys) {
      // Waiting for a server that is known to be gone would only delay the document.
      if (state.kind === 'down' || signal.aborted) return false;
      try {
        await upserts.add(space, keys);
        return true;
      } catch (error) {
        markDown(error);
        return false;
      }
    },
    nudge: runInBackground,
    distrust,
    async close() {
      stopping.abort();
      await work?.catch(() => {});
    },
  };
}
