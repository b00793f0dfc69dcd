import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { errorMessage } from '../../../shared/error-message.ts';
import type { IndexMaintenance, IndexState } from '../../index-state.ts';
import type { VectorIndex } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import { addMissingCodes } from '../vector-codes/add-codes.ts';
import { currentSpace, type SpaceRow } from '../vector-spaces/space-rows.ts';
import { createInStepMark } from './in-step-mark.ts';
import { type OpenCollections, openCollections } from './open-collections.ts';
import { replayOutbox } from './outbox.ts';
import { countPublished, reconcileCollection } from './reconcile-collection.ts';
import { createSharedUpserts } from './shared-upserts.ts';
import { storeWarmUpData } from './store-warm-up-data.ts';
import { upsertFromRecords } from './upsert-from-records.ts';

/** Internal interface of the index maintenance. */
export interface IndexUpkeep extends IndexMaintenance {
  readonly collections: OpenCollections;
  /** False when the index could not store them; the caller then has to add them to the outbox. */
  tryUpsert(space: SpaceRow, keys: readonly number[]): Promise<boolean>;
  /** Whether this many chunks may be published before the index has them. */
  mayDefer(chunks: number): boolean;
  /** Reports that writes may be pending; they are applied in the background. */
  wakeUp(): void;
  /** Reports pending writes of this many chunks; they are applied after a short while, with those that follow. */
  wakeUpSoon(chunks: number): void;
  /**
   * Requires a comparison of the index with the records before it is searched alone again, e.g. after a change of
   * space.
   */
  requireAudit(): void;
  /** Waits briefly for the current step; one that hangs ends when the index is closed. */
  close(): Promise<void>;
}

export interface IndexUpkeepParts {
  readonly sqlite: Database;
  readonly index: VectorIndex;
  /** Whether the index was in step and every later change is in it or pending. */
  readonly wasInStep?: boolean;
  /** Receives errors of background work. */
  readonly report?: (message: string, cause?: unknown) => void;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const CLOSE_WITHIN_MS = 1_000;
const WASTE_CHECK_INTERVAL_MS = 600_000;
const WARM_UP_INTERVAL_MS = 300_000;
/**
 * A call of the index costs as much as ten vectors in it, so the chunks of small documents wait for each other: this
 * long, or until there are enough of them.
 */
const DEFER_MS = 1_000;
const ENOUGH_CHUNKS = 128;
/** With more, documents wait for the index. Searches compare the chunks that it lacks one by one. */
const MAX_DEFERRED = 1_000;

/** One background worker applies pending writes to the index and audits it on request, and retries on failure. */
export function createIndexUpkeep({ sqlite, index, wasInStep = false, report }: IndexUpkeepParts): IndexUpkeep {
  const collections = openCollections(index);
  const upserts = createSharedUpserts((space, keys) => upsertFromRecords({ sqlite, collections, space, keys }));
  const stopping = new AbortController();
  const { signal } = stopping;
  const isAlone = isOnlyWriter(index, sqlite);
  const mark = createInStepMark(sqlite.writer, wasInStep);
  let state: IndexState = { kind: 'checking', wasInStep: index.isInDatabase === true || (wasInStep && isAlone) };
  let needsAudit = true;
  let work: Promise<void> | undefined;
  let isRequested = false;
  let isRetrying = false;
  let retryAfter = FIRST_RETRY_MS;
  const renewed = new Set<string>();

  // Once per collection: vectors that no index finds would otherwise cause endless rebuilds.
  const mayRebuild = (collection: string): boolean => {
    const may = index.isOurs && !renewed.has(collection);
    report?.(`The vector index does not find its own vectors${may ? ' and is rebuilt' : ''}.`);
    renewed.add(collection);
    if (may) state = { kind: 'checking' };
    return may;
  };

  let deferred = 0;
  let soon: NodeJS.Timeout | undefined;

  let wasteCheckedAt = Number.NEGATIVE_INFINITY;

  // The index never reuses the slot of a removed vector; it is rebuilt when most of its slots are unused.
  const dropWaste = async () => {
    if (performance.now() - wasteCheckedAt < WASTE_CHECK_INTERVAL_MS) return;
    wasteCheckedAt = performance.now();
    const bytes = await index.bytes?.();
    if (bytes === undefined || !(await isMostlyWaste(sqlite, bytes))) return;
    state = { kind: 'checking' };
    needsAudit = true;
    await mark.set(false);
    await index.renew?.();
  };

  // Only one run at a time, since audits of an index that is down start again and again.
  let coding: Promise<void> | undefined;
  const addCodes = (space: SpaceRow) => {
    coding ??= addMissingCodes(sqlite, space, signal)
      .catch((cause) => {
        if (!signal.aborted) report?.('The codes of vectors could not be completed; the next start goes on.', cause);
      })
      .finally(() => {
        coding = undefined;
      });
  };

  let warmUpStoredAt = Number.NEGATIVE_INFINITY;

  // Optional work, whose failure does not mean that the index is down.
  const prepareNextStart = async () => {
    if (state.kind !== 'in_step' || performance.now() - warmUpStoredAt < WARM_UP_INTERVAL_MS) return;
    warmUpStoredAt = performance.now();
    await storeWarmUpData(sqlite, signal).catch((error: unknown) => {
      if (!signal.aborted) report?.('What the next start would read at once could not be stored.', error);
    });
  };

  const auditCurrent = async () => {
    needsAudit = false;
    const space = await currentSpace(sqlite.reader);
    const onProgress = (done: number, total: number) => {
      state = { kind: 'rebuilding', done, total };
    };
    if (space !== undefined) {
      // From now on, the index no longer counts as one that was in step, for the next process either.
      const onDifference = () => {
        if (state.kind === 'checking') state = { kind: 'checking' };
        return mark.set(false);
      };
      const rebuildOptions = { mayRebuild: () => mayRebuild(space.collection) };
      // Searches use the codes while the index is being filled.
      addCodes(space);
      const isInUse = state.kind === 'in_step' || (state.kind === 'checking' && state.wasInStep === true);
      const callbacks = { onDifference, onProgress, ...rebuildOptions };
      await reconcileCollection({ sqlite, collections, space, signal, isInUse, ...callbacks });
    }
    if (!needsAudit && !signal.aborted) {
      state = { kind: 'in_step' };
      if (isAlone) await mark.set(true);
    }
    await coding;
  };

  const runOnce = async () => {
    try {
      do {
        isRequested = false;
        clearTimeout(soon);
        soon = undefined;
        const included = deferred;
        await replayOutbox(sqlite, collections, signal);
        deferred -= included;
        await dropWaste();
        if (needsAudit) await auditCurrent();
        await prepareNextStart();
      } while ((isRequested || needsAudit) && !signal.aborted);
      retryAfter = FIRST_RETRY_MS;
    } catch (error) {
      if (!signal.aborted) markDown(error);
      throw error;
    } finally {
      // In the same tick as the last check for requests, so that none is missed.
      work = undefined;
    }
  };

  const run = (): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    isRequested = true;
    work ??= runOnce();
    return work;
  };

  const runInBackground = () => void run().catch(() => {});

  const markDown = (error: unknown) => {
    const reason = errorMessage(error);
    if (state.kind !== 'down') report?.('The vector index does not answer; searches compare vectors exactly.', error);
    state = { kind: 'down', reason };
    needsAudit = true;
    void mark.set(false);
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

  const requireAudit = () => {
    needsAudit = true;
    if (state.kind === 'in_step' || state.kind === 'checking') state = { kind: 'checking' };
    void mark.set(false);
    runInBackground();
  };
  index.onRecovered(requireAudit);

  const end = async () => {
    stopping.abort();
    clearTimeout(soon);
    const isOver = new AbortController();
    const late = sleep(CLOSE_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => {});
    await Promise.race([Promise.all([work?.catch(() => {}), coding]).then(mark.written), late]);
    isOver.abort();
  };
  let ending: Promise<void> | undefined;

  return {
    collections,
    state: () => state,
    replayOutbox: run,
    audit() {
      needsAudit = true;
      return run();
    },
    async tryUpsert(space, keys) {
      // Waiting for a server that is known to be down would only delay the document.
      if (state.kind === 'down' || signal.aborted) return false;
      try {
        await upserts.add(space, keys);
        return true;
      } catch (error) {
        markDown(error);
        return false;
      }
    },
    // With several servers, a chunk that one of them deletes could be added to the index by another afterwards.
    mayDefer: (chunks) => sqlite.shared === undefined && deferred + chunks <= MAX_DEFERRED,
    wakeUp: runInBackground,
    wakeUpSoon(chunks) {
      deferred += chunks;
      if (deferred >= ENOUGH_CHUNKS) runInBackground();
      else if (!signal.aborted) soon ??= setTimeout(runInBackground, DEFER_MS).unref();
    },
    requireAudit,
    reportFailure: markDown,
    close() {
      ending ??= end();
      return ending;
    },
  };
}

/** Whether no other process writes to the database or its index. */
export const isOnlyWriter = (index: Pick<VectorIndex, 'isOurs'>, database: Pick<Database, 'shared'>): boolean =>
  index.isOurs && database.shared === undefined;

/** Less waste than this does not justify rebuilding the index. */
const MIN_WASTE_BYTES = 16_000_000;
const MAX_SHARE = 3;
/** Size of an index entry besides the vector's components: links, label and length. */
const BYTES_PER_VECTOR = 160;

/** Whether index files of this size are mostly unused slots, compared with the vectors on record. */
async function isMostlyWaste(sqlite: Pick<Database, 'reader'>, bytes: number): Promise<boolean> {
  if (bytes < MIN_WASTE_BYTES) return false;
  // Documents are far fewer than vectors; the vectors are summed only if those of the published chunks are not enough.
  const space = await currentSpace(sqlite.reader);
  const published = await countPublished(sqlite);
  const isNeeded = (needed: number) => bytes <= MIN_WASTE_BYTES + MAX_SHARE * needed;
  if (space !== undefined && isNeeded(published * (space.dimensions * 4 + BYTES_PER_VECTOR))) return false;
  const row = await sqlite.reader
    .selectFrom('chunk_vectors as v')
    .innerJoin('vector_spaces as s', 's.key', 'v.space_key')
    .select(sql<number>`coalesce(sum(s.dimensions * 4 + ${BYTES_PER_VECTOR}), 0)`.as('needed'))
    .executeTakeFirstOrThrow();
  return !isNeeded(Number(row.needed));
}
