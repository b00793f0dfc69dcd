import type { ChunkContextRecords } from '../chunk-context-records.ts';
import type { Corpus } from '../corpus.ts';
import type { DescriptionSearch, DescriptionVectors } from '../description-records.ts';
import type { DocumentGraphRecords, GraphNameRecords, GraphRecords } from '../graph-records.ts';
import type { GraphSearch } from '../graph-search.ts';
import type { IndexMaintenance } from '../index-state.ts';
import type { IngestionQueue } from '../ingestion-queue.ts';
import type { LearnedEmbedders } from '../learned-embedders.ts';
import type { PromptRecords } from '../prompt-records.ts';
import type { CollectionRecords, ConversationRecords } from '../records.ts';
import type { SourceRecords } from '../source-records.ts';
import type { SummaryRecords } from '../summary-records.ts';
import type { UserStore } from '../user-records.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { VectorSpaces } from '../vector-spaces.ts';
import type { DocumentVersions } from '../versions.ts';
import { createCorpus } from './create-corpus.ts';
import type { EmbeddingText } from './fill-space.ts';
import { renewFullText } from './full-text-rows.ts';
import { createGraphSearch } from './graph/create-graph-search.ts';
import { createNameVectors } from './graph/name-vectors.ts';
import { createDocumentGraphs } from './graph/sql-document-graphs.ts';
import { createGraphs } from './graph/sql-graphs.ts';
import { createIndexUpkeep } from './index-upkeep.ts';
import { createIngestionQueue, recoverTasks } from './ingestion-queue.ts';
import { openSqlite, type Sqlite } from './open-sqlite.ts';
import { createChunkContexts } from './sql-chunk-contexts.ts';
import { createCollections } from './sql-collections.ts';
import { createConversations } from './sql-conversations.ts';
import { createDescriptionSearch, createDescriptionVectors } from './sql-descriptions.ts';
import { createLearnedEmbedders } from './sql-learned-embedders.ts';
import { createPrompts } from './sql-prompts.ts';
import { createSourceRecords } from './sql-source-records.ts';
import { createSummaries } from './sql-summaries.ts';
import { createUserStore } from './sql-user-store.ts';
import { createVectorSpaces } from './sql-vector-spaces.ts';
import { dropOrphans } from './staged-chunks.ts';
import { retireAll } from './versions/retire-versions.ts';
import { createVersions } from './versions/sql-versions.ts';

/** All that is kept, over one database file and one vector index. */
export interface Store {
  readonly sqlite: Sqlite;
  readonly corpus: Corpus;
  readonly queue: IngestionQueue;
  readonly sources: SourceRecords;
  readonly spaces: VectorSpaces;
  readonly learned: LearnedEmbedders;
  readonly collections: CollectionRecords;
  readonly conversations: ConversationRecords;
  readonly prompts: PromptRecords;
  readonly people: UserStore;
  readonly documentGraphs: DocumentGraphRecords;
  readonly graphs: GraphRecords;
  readonly graphNames: GraphNameRecords;
  readonly graphSearch: GraphSearch;
  readonly versions: DocumentVersions;
  readonly summaries: SummaryRecords;
  readonly descriptions: DescriptionVectors;
  readonly descriptionSearch: DescriptionSearch;
  readonly contexts: ChunkContextRecords;
  readonly maintenance: IndexMaintenance;
  /** Closes the database; the index is its opener's to close, after this. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** The database file. */
  readonly path: string;
  readonly index: VectorIndex;
  readonly embeddingText: EmbeddingText;
  /** Earlier versions whose content is kept, of each document. */
  readonly versionsKept?: number;
  readonly readers?: number;
  /** Told of trouble that nobody waits for. */
  readonly report?: (message: string, cause?: unknown) => void;
}

const VERSIONS_KEPT = 10;

/**
 * Opens the store as its last process left it, killed or not: what that one had staged and not published is removed,
 * the index is handed what it is owed and compared with the records in the background. One process at a time.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { path, index, embeddingText, versionsKept = VERSIONS_KEPT, readers, report } = options;
  const sqlite = await openSqlite({ path, ...(readers !== undefined && { readers }) });
  try {
    await sqlite.writer.transaction().execute(dropOrphans);
    await sqlite.writer.transaction().execute((transaction) => retireAll(transaction, versionsKept));
    await sqlite.writer.transaction().execute(recoverTasks);
    await renewFullText(sqlite);
  } catch (error) {
    await sqlite.close();
    throw error;
  }
  const upkeep = createIndexUpkeep({ sqlite, index, ...(report && { report }) });
  upkeep.nudge();
  return {
    sqlite,
    corpus: createCorpus({ sqlite, upkeep, embeddingText, versionsKept }),
    queue: createIngestionQueue(sqlite),
    sources: createSourceRecords(sqlite),
    spaces: createVectorSpaces({ sqlite, upkeep, embeddingText }),
    learned: createLearnedEmbedders(sqlite, embeddingText),
    collections: createCollections(sqlite),
    conversations: createConversations(sqlite),
    prompts: createPrompts(sqlite),
    people: createUserStore(sqlite),
    documentGraphs: createDocumentGraphs(sqlite),
    graphs: createGraphs(sqlite),
    graphNames: createNameVectors(sqlite),
    graphSearch: createGraphSearch(sqlite),
    versions: createVersions({ sqlite, upkeep, versionsKept }),
    summaries: createSummaries(sqlite),
    descriptions: createDescriptionVectors(sqlite),
    descriptionSearch: createDescriptionSearch(sqlite),
    contexts: createChunkContexts(sqlite),
    maintenance: upkeep,
    async close() {
      await upkeep.close();
      await sqlite.close();
    },
  };
}
