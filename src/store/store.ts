import type { ChunkContextRecords } from './chunk-context-records.ts';
import type { ChunkSearch } from './chunk-search.ts';
import type { Corpus } from './corpus.ts';
import type { DescriptionSearch, DescriptionVectors } from './description-records.ts';
import type { FollowedSourceRecords } from './followed-sources.ts';
import type { DocumentGraphRecords, GraphNameRecords, GraphRecords } from './graph-records.ts';
import type { GraphSearch } from './graph-search.ts';
import type { IndexMaintenance } from './index-state.ts';
import type { IngestionQueue } from './ingestion-queue.ts';
import type { LearnedEmbedders } from './learned-embedders.ts';
import type { ObjectStore } from './originals/object-store.ts';
import type { OtherServers } from './other-servers.ts';
import type { PromptRecords } from './prompt-records.ts';
import type { CollectionRecords, ConversationRecords } from './records.ts';
import type { SharedState } from './shared-state.ts';
import type { SourceRecords } from './source-records.ts';
import type { SummaryRecords } from './summary-records.ts';
import type { UserStore } from './user-records.ts';
import type { VectorSpaces } from './vector-spaces.ts';
import type { DocumentVersions } from './versions.ts';

/** Progress of a copy, in bytes of records. */
export interface CopiedBytes {
  readonly done: number;
  readonly total: number;
}

/** The record store: documents, chunks and their vectors, users, conversations, graphs. */
export interface Store {
  readonly chunks: ChunkSearch;
  readonly corpus: Corpus;
  readonly queue: IngestionQueue;
  readonly sources: SourceRecords;
  readonly followed: FollowedSourceRecords;
  readonly spaces: VectorSpaces;
  readonly learned: LearnedEmbedders;
  readonly collections: CollectionRecords;
  readonly conversations: ConversationRecords;
  readonly prompts: PromptRecords;
  readonly accounts: UserStore;
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
  /**
   * Writes a consistent snapshot of the records to this path, which must not exist yet, as an SQLite database file.
   * Reports progress if the engine provides it. Undefined if the store cannot write snapshots.
   */
  readonly snapshot?: (
    path: string,
    signal?: AbortSignal,
    onProgress?: (progress: CopiedBytes) => void,
  ) => Promise<void>;
  /** Object store of the uploaded files; undefined if they are kept in the database. */
  readonly objects?: Pick<ObjectStore, 'name' | 'problem'>;
  /** Undefined if no other process can have the database open. */
  readonly others?: OtherServers;
  /** Runs and progress that other servers can follow; undefined if there can be no other servers. */
  readonly sharedState?: SharedState;
  /** Describes damage to the store found while the service runs, for users. */
  problem(): string | undefined;
  /** Closes the database; the caller closes the index after this. */
  close(): Promise<void>;
}
