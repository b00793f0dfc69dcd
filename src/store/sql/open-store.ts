import type { Corpus } from '../corpus.ts';
import type { IndexMaintenance } from '../index-state.ts';
import type { IngestionQueue } from '../ingestion-queue.ts';
import type { CollectionRecords, ConversationRecords } from '../records.ts';
import type { UserStore } from '../user-records.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { VectorSpaces } from '../vector-spaces.ts';
import { createCorpus } from './create-corpus.ts';
import type { EmbeddingText } from './fill-space.ts';
import { renewFullText } from './full-text-rows.ts';
import { createIndexUpkeep } from './index-upkeep.ts';
import { createIngestionQueue, recoverTasks } from './ingestion-queue.ts';
import { openSqlite, type Sqlite } from './open-sqlite.ts';
import { createCollections } from './sql-collections.ts';
import { createConversations } from './sql-conversations.ts';
import { createUserStore } from './sql-user-store.ts';
import { createVectorSpaces } from './sql-vector-spaces.ts';
import { dropOrphans } from './staged-chunks.ts';

/** All that is kept, over one database file and one vector index. */
export interface Store {
  readonly sqlite: Sqlite;
  readonly corpus: Corpus;
  readonly queue: IngestionQueue;
  readonly spaces: VectorSpaces;
  readonly collections: CollectionRecords;
  readonly conversations: ConversationRecords;
  readonly people: UserStore;
  readonly maintenance: IndexMaintenance;
  /** Closes the database; the index is its opener's to close, after this. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** The database file. */
  readonly path: string;
  readonly index: VectorIndex;
  readonly embeddingText: EmbeddingText;
  readonly readers?: number;
  /** Told of trouble that nobody waits for. */
  readonly report?: (message: string, cause?: unknown) => void;
}

/**
 * Opens the store as its last process left it, killed or not: what that one had staged and not published is removed,
 * the index is handed what it is owed and compared with the records in the background. One process at a time.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { path, index, embeddingText, readers, report } = options;
  const sqlite = await openSqlite({ path, ...(readers !== undefined && { readers }) });
  try {
    await sqlite.writer.transaction().execute(dropOrphans);
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
    corpus: createCorpus(sqlite, upkeep),
    queue: createIngestionQueue(sqlite),
    spaces: createVectorSpaces({ sqlite, upkeep, embeddingText }),
    collections: createCollections(sqlite),
    conversations: createConversations(sqlite),
    people: createUserStore(sqlite),
    maintenance: upkeep,
    async close() {
      await upkeep.close();
      await sqlite.close();
    },
  };
}
