import type { ObjectStore } from '../originals/object-store.ts';
import type { Store } from '../store.ts';
import type { VectorIndex } from '../vector-index.ts';
import { createCollections } from './collections/sql-collections.ts';
import { createConversations } from './conversations/sql-conversations.ts';
import { removeSourceToken } from './copied-store.ts';
import type { Database } from './database.ts';
import { createCorpus } from './documents/create-corpus.ts';
import { createChunkContexts } from './documents/sql-chunk-contexts.ts';
import { createSourceRecords } from './documents/sql-source-records.ts';
import { createSummaries } from './documents/sql-summaries.ts';
import { dropOrphans } from './documents/staged-chunks.ts';
import { renewFullText } from './full-text/full-text-rows.ts';
import { createGraphSearch } from './graph/create-graph-search.ts';
import { createGraphResets } from './graph/graph-resets.ts';
import { createNameVectors } from './graph/name-vectors.ts';
import { createDocumentGraphs } from './graph/sql-document-graphs.ts';
import { createGraphs } from './graph/sql-graphs.ts';
import { recordScopeStorage } from './index-sync/chunk-scopes.ts';
import { hasInStepMark, removeInStepMark } from './index-sync/in-step-mark.ts';
import { createIndexUpkeep, type IndexUpkeep, isOnlyWriter } from './index-sync/index-upkeep.ts';
import { openCollections } from './index-sync/open-collections.ts';
import { createObjectRemovals } from './originals/object-removals.ts';
import { createOriginalRecords } from './originals/original-records.ts';
import { ensurePlace } from './originals/originals-place.ts';
import { createIngestionQueue, recoverTasks } from './queue/ingestion-queue.ts';
import { createChunkSearch } from './search/chunk-search.ts';
import { snapshotDatabase } from './snapshot-database.ts';
import { createFollowedSources } from './sql-followed-sources.ts';
import { createPrompts } from './sql-prompts.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts';
import { createUserStore } from './users/sql-user-store.ts';
import type { EmbeddingText } from './vector-spaces/fill-space.ts';
import { createDescriptionSearch, createDescriptionVectors } from './vector-spaces/sql-descriptions.ts';
import { createLearnedEmbedders } from './vector-spaces/sql-learned-embedders.ts';
import { createVectorSpaces } from './vector-spaces/sql-vector-spaces.ts';
import { retireAll } from './versions/retire-versions.ts';
import { createVersions } from './versions/sql-versions.ts';

/** The store over one database and one vector index. */
export interface SqlStore extends Store {
  readonly sqlite: Database;
}

/** Options of a store besides its database. */
export interface RecordStoreOptions {
  readonly index: VectorIndex;
  readonly embeddingText: EmbeddingText;
  /** Number of earlier versions per document whose content is kept. */
  readonly versionsKept?: number;
  /** Object store for the uploaded files; if undefined, the database keeps them. */
  readonly objects?: ObjectStore | undefined;
  /** Time after which an object of an interrupted upload is removed. */
  readonly objectGraceMs?: number;
  /** Receives errors of background work. */
  readonly report?: (message: string, cause?: unknown) => void;
}

export interface StoreOptions extends RecordStoreOptions {
  /** The database file. */
  readonly path: string;
  readonly readers?: number;
  readonly schema?: SqliteOptions['schema'];
}

const VERSIONS_KEPT = 10;
const RECOVER_AGAIN_MS = 2_000;

/**
 * Opens the store in the state its last process left, even after a crash: unpublished staged content is removed,
 * pending writes are applied to the index, and the index is compared with the records in the background. One process at
 * a time.
 */
export async function openStore(options: StoreOptions): Promise<SqlStore> {
  const { path, readers, report, schema } = options;
  const sqlite = await openSqlite({
    path,
    ...(readers !== undefined && { readers }),
    ...(report && { report }),
    ...(schema && { schema }),
  });
  return { ...(await openRecordStore(sqlite, options)), snapshot: (copy) => snapshotDatabase(path, copy) };
}

/** Opens the store on an open database of either engine. The database is closed with the store, or if this fails. */
export async function openRecordStore(sqlite: Database, options: RecordStoreOptions): Promise<SqlStore> {
  const { index, embeddingText, versionsKept = VERSIONS_KEPT, objects, objectGraceMs, report } = options;
  let wasInStep = false;
  try {
    wasInStep = await sqlite.writer.transaction().execute(async (transaction) => {
      await removeSourceToken(transaction);
      if (isOnlyWriter(index, sqlite)) return hasInStepMark(transaction);
      // The changes of this process are not recorded in the index that the mark is about.
      await removeInStepMark(transaction);
      return false;
    });
    await recover(sqlite);
    await recordScopeStorage(sqlite.writer, index);
    await sqlite.writer.transaction().execute((transaction) => retireAll(transaction, versionsKept));
    await renewFullText(sqlite);
    await ensurePlace({ ...sqlite, objects, report });
  } catch (error) {
    await sqlite.close();
    throw error;
  }
  const upkeep = createIndexUpkeep({ sqlite, index, wasInStep, ...(report && { report }) });
  upkeep.wakeUp();
  const removals = createObjectRemovals({ sqlite, objects, report });
  removals.wakeUp();
  const originals = createOriginalRecords({
    sqlite,
    objects,
    onUnneeded: removals.wakeUp,
    ...(objectGraceMs !== undefined && { graceMs: objectGraceMs }),
  });
  const resets = createGraphResets(sqlite, report);
  resets.wakeUp();
  let isClosed = false;
  const others = otherServers({ sqlite, upkeep, report, isClosed: () => isClosed });
  return {
    sqlite,
    ...(others && { others }),
    ...(sqlite.sharedState && { sharedState: sqlite.sharedState }),
    chunks: createChunkSearch({
      search: sqlite.search,
      collections: openCollections(index),
      state: upkeep.state,
      onFailure: upkeep.reportFailure,
    }),
    corpus: createCorpus({ sqlite, upkeep, embeddingText, versionsKept, originals }),
    queue: createIngestionQueue(sqlite),
    sources: createSourceRecords(sqlite),
    followed: createFollowedSources(sqlite),
    spaces: createVectorSpaces({ sqlite, upkeep, embeddingText }),
    learned: createLearnedEmbedders(sqlite, embeddingText),
    collections: createCollections(sqlite, resets),
    conversations: createConversations(sqlite),
    prompts: createPrompts(sqlite),
    accounts: createUserStore(sqlite),
    documentGraphs: createDocumentGraphs(sqlite),
    graphs: createGraphs(sqlite, resets),
    graphNames: createNameVectors(sqlite),
    graphSearch: createGraphSearch(sqlite),
    versions: createVersions({ sqlite, upkeep, versionsKept }, originals),
    summaries: createSummaries(sqlite),
    descriptions: createDescriptionVectors(sqlite),
    descriptionSearch: createDescriptionSearch(sqlite),
    contexts: createChunkContexts(sqlite),
    maintenance: upkeep,
    ...(objects && { objects }),
    problem: sqlite.problem,
    async close() {
      isClosed = true;
      await removals.close();
      await resets.close();
      await upkeep.close();
      await sqlite.close();
    },
  };
}

/** Drops what ended processes left unpublished and queues their tasks again. */
async function recover({ writer, shared }: Database): Promise<void> {
  await writer.transaction().execute(async (transaction) => {
    await shared?.removeEndedServers(transaction);
    const inProgress = await shared?.documentsInProgress(transaction, 'ingestion');
    await dropOrphans(transaction, inProgress);
    await recoverTasks(transaction, inProgress);
  });
}

interface SharingParts {
  readonly sqlite: Database;
  readonly upkeep: Pick<IndexUpkeep, 'requireAudit'>;
  readonly report: RecordStoreOptions['report'];
  isClosed(): boolean;
}

function otherServers({ sqlite, upkeep, report, isClosed }: SharingParts): Store['others'] {
  const { shared } = sqlite;
  if (shared === undefined) return undefined;
  const listeners = new Set<() => void>();
  let isRecovering = false;
  let isReverted = false;
  /** Whether something happened after the last take-over began, so that another one is needed. */
  let isNeeded = false;
  const takeOver = async () => {
    isNeeded = true;
    if (isRecovering) return;
    isRecovering = true;
    isNeeded = false;
    let forgets = isReverted;
    isReverted = false;
    try {
      if (forgets) await sqlite.writer.transaction().execute(shared.releaseOwnClaims);
      forgets = false;
      await recover(sqlite);
      await requeue(sqlite, 'extraction');
      await requeue(sqlite, 'summary');
      for (const listener of listeners) listener();
    } catch (error) {
      if (isClosed()) return;
      isNeeded = true;
      isReverted ||= forgets;
      report?.('The work of a server that has ended could not be taken over yet.', error);
    } finally {
      isRecovering = false;
    }
    if (isNeeded && !isClosed()) setTimeout(takeOver, RECOVER_AGAIN_MS).unref();
  };
  shared.onGone(takeOver);
  shared.onReverted(() => {
    report?.('The database has lost what it held before, as after a failover. What is kept in memory is read again.');
    // This server may have finished tasks in the lost transactions that the database still counts as its current work.
    isReverted = true;
    upkeep.requireAudit();
    void takeOver();
  });
  const members = () => shared.members(sqlite.reader);
  return { ...shared, members, onTakeOver: (listener) => void listeners.add(listener) };
}

/** Runs in one transaction, so that it cannot requeue a document that another server claims meanwhile. */
async function requeue({ writer, shared }: Database, work: 'extraction' | 'summary'): Promise<void> {
  const status = `${work}_status` as const;
  await writer.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('documents')
      .set({ [status]: 'pending' })
      .where(status, '=', 'processing')
      .where('key', 'not in', (await shared?.documentsInProgress(transaction, work)) ?? [])
      .execute();
  });
}
