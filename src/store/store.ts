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

/** How many bytes of records are copied, of how many. */
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
  /**
   * Writes a copy of the records as they are at one moment to this path, where nothing may be, as a database file of
   * SQLite. It says how far it is where it knows. Undefined where it was not provided.
   */
  readonly snapshot?: (
    path: string,
    signal?: AbortSignal,
    onProgress?: (progress: CopiedBytes) => void,
  ) => Promise<void>;
  /** Where the uploaded files are kept; undefined for the database. */
  readonly objects?: Pick<ObjectStore, 'name' | 'problem'>;
  /** Undefined where no other process can have the database open. */
  readonly others?: OtherServers;
  /** Runs and progress that other servers can follow; undefined where there are none. */
  readonly sharedState?: SharedState;
  /** Describes damage to the store found while the service runs, for users. */
  problem(): string | undefined;
  /** Closes the database; the caller closes the index after this. */
  close(): Promise<void>;
}
