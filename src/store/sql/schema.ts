import type { Generated } from 'kysely';
import type { GraphTables } from './graph/graph-tables.ts';
import type { UserTables } from './user-tables.ts';

/** JSON is kept as text; what it holds is said beside each column. Times are ISO-8601 in UTC. */
type JsonText = string;

export interface DocumentTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly owner_id: string;
  readonly type: string;
  readonly title: string;
  /** Metadata */
  readonly metadata: JsonText;
  readonly version: string;
  readonly source: string | null;
  readonly file_name: string;
  readonly media_type: string;
  readonly size_in_bytes: number;
  readonly content_hash: string;
  readonly ingestion_status: string;
  readonly extraction_status: string;
  readonly failure: string | null;
  readonly attempt: number;
  readonly summary: string | null;
  /** SummaryStatus: whether a model's is written, or still to be */
  readonly summary_status: Generated<string>;
  /** The model that wrote it; null when it was taken from the text. */
  readonly summary_by: Generated<string | null>;
  /** Why there is none by a model though one was to be written. */
  readonly summary_note: Generated<string | null>;
  /** Metadata: the settings of the last ingestion */
  readonly settings: JsonText;
  /** What a submission that is to replace a visible document says of it (Submitted); its own once published. */
  readonly submitted: JsonText | null;
  readonly total_tokens: number;
  readonly text_length: number;
  readonly chunk_count: number;
  /** The chunks of this generation are visible; 0 when none are. */
  readonly generation: number;
  /** When what can be seen came to be so; null when nothing can. */
  readonly published_at: Generated<string | null>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface DocumentFileTable {
  readonly document_key: number;
  readonly bytes: Uint8Array;
}

export interface DocumentTextTable {
  readonly document_key: number;
  readonly text: string;
  /** PageSpan[] */
  readonly pages: JsonText;
}

export interface DocumentCollectionTable {
  readonly document_key: number;
  readonly collection_id: string;
}

export interface CollectionTable {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** GraphStatus, both */
  readonly graph_cluster_status: Generated<string>;
  readonly graph_sync_status: Generated<string>;
}

export interface CollectionMemberTable {
  readonly collection_id: string;
  readonly user_id: string;
  readonly created_at: string;
}

export interface PromptTable {
  readonly name: string;
  readonly id: string;
  readonly template: string;
  /** Record<string, string> */
  readonly input_types: JsonText;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ChunkTable {
  /** Never used twice, so that what the vector index holds of a removed chunk can not meet a new one. */
  readonly key: Generated<number>;
  readonly id: string;
  readonly document_key: number;
  readonly generation: number;
  readonly ordinal: number;
  readonly text: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page: number | null;
  /** string[] */
  readonly heading_path: JsonText;
  /** Metadata of the chunk's own, without what it inherits */
  readonly metadata: JsonText;
  /** Of what was embedded for it; null when that is not known to the letter. */
  readonly embedding_hash: Generated<string | null>;
  /** What a model wrote to place the passage in its document; found by, never shown. */
  readonly context: Generated<string | null>;
}

/** What models wrote to place passages, by all that it depends on, so that it is not asked for twice. */
export interface ChunkContextTable {
  readonly document_key: number;
  readonly hash: string;
  readonly context: string;
  readonly created_at: string;
}

/** Vectors of titles and summaries: of documents, or of their earlier versions. */
export interface DescriptionVectorTable {
  readonly space_key: number;
  readonly described_key: number;
  /** float32, little-endian */
  readonly vector: Uint8Array;
}

export interface VectorSpaceTable {
  readonly key: Generated<number>;
  readonly embedder: string;
  readonly version: string;
  readonly dimensions: number;
  readonly collection: string;
  readonly state: 'current' | 'building' | 'previous';
  readonly created_at: string;
}

export interface ChunkVectorTable {
  readonly space_key: number;
  readonly chunk_key: number;
  /** float32, little-endian */
  readonly vector: Uint8Array;
}

export interface LearnedEmbedderTable {
  readonly embedder: string;
  readonly version: string;
  readonly artefact: Uint8Array;
  readonly created_at: string;
}

export interface OutboxTable {
  readonly key: Generated<number>;
  readonly kind: 'upsert' | 'remove' | 'drop';
  /** Null for `drop`, whose space is gone. */
  readonly space_key: number | null;
  /** KeyRange[], or the name of the collection to drop as a JSON string */
  readonly payload: JsonText;
  readonly created_at: string;
}

export interface ConversationTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly user_id: string;
  readonly name: string | null;
  readonly created_at: string;
}

export interface MessageTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly conversation_id: string;
  readonly parent_id: string | null;
  readonly role: string;
  readonly content: string;
  /** Metadata */
  readonly metadata: JsonText;
  readonly created_at: string;
}

export interface ConversationSummaryTable {
  readonly conversation_id: string;
  /** The last message it stands for. */
  readonly through_key: number;
  readonly text: string;
  readonly created_at: string;
}

export interface IngestionTaskTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly document_key: number;
  readonly attempt: number;
  readonly state: string;
  readonly priority: Generated<number>;
  readonly tries: Generated<number>;
  /** How often the process ended while it was worked on. */
  readonly crashes: Generated<number>;
  readonly next_try_at: string | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

export interface SettingTable {
  readonly name: string;
  readonly value: string;
}

/** A version of a document that another one has taken the place of. */
export interface DocumentVersionTable {
  readonly key: Generated<number>;
  readonly document_key: number;
  readonly version: string;
  readonly valid_from: string;
  /** Exclusive. */
  readonly valid_to: string;
  readonly type: string;
  readonly title: string;
  /** Metadata */
  readonly metadata: JsonText;
  readonly source: string | null;
  readonly file_name: string;
  readonly media_type: string;
  readonly size_in_bytes: number;
  readonly content_hash: string;
  readonly summary: string | null;
  readonly summary_by: Generated<string | null>;
  /** Metadata */
  readonly settings: JsonText;
  readonly total_tokens: number;
  readonly text_length: number;
  readonly chunk_count: number;
  readonly updated_at: string;
  /** When its content was given up; only the row tells of it then. */
  readonly retired_at: string | null;
  /** RetirementReceipt */
  readonly receipt: JsonText | null;
}

export interface VersionFileTable {
  readonly version_key: number;
  readonly bytes: Uint8Array;
}

export interface VersionTextTable {
  readonly version_key: number;
  readonly text: string;
  /** PageSpan[] */
  readonly pages: JsonText;
}

/** Where the chunks of a version stood in it; the chunk itself is in `chunks`, or in `past_chunks` once it cannot be seen. */
export interface VersionChunkTable {
  readonly version_key: number;
  readonly ordinal: number;
  readonly chunk_key: number;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page: number | null;
}

export interface PastChunkTable {
  readonly key: number;
  readonly id: string;
  readonly document_key: number;
  readonly text: string;
  /** string[] */
  readonly heading_path: JsonText;
  /** Metadata */
  readonly metadata: JsonText;
  readonly embedding_hash: string | null;
  readonly context: string | null;
}

/** Visible chunks that what is staged of their document goes on with, and their places in it. */
export interface KeptChunkTable {
  readonly document_key: number;
  readonly ordinal: number;
  readonly chunk_key: number;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page: number | null;
}

/** What the visible version was made from, while `document_files` and `settings` are those of its successor. */
export interface VisibleOriginalTable {
  readonly document_key: number;
  readonly bytes: Uint8Array;
  /** Metadata */
  readonly settings: JsonText;
}

/** The tables of the record store; full-text indexes, which every engine has its own way for, are not among them. */
export interface Tables extends UserTables, GraphTables {
  readonly documents: DocumentTable;
  readonly document_files: DocumentFileTable;
  readonly document_texts: DocumentTextTable;
  readonly document_collections: DocumentCollectionTable;
  readonly collections: CollectionTable;
  readonly collection_members: CollectionMemberTable;
  readonly prompts: PromptTable;
  readonly chunks: ChunkTable;
  readonly vector_spaces: VectorSpaceTable;
  readonly chunk_vectors: ChunkVectorTable;
  readonly chunk_contexts: ChunkContextTable;
  readonly document_vectors: DescriptionVectorTable;
  readonly version_vectors: DescriptionVectorTable;
  readonly learned_embedders: LearnedEmbedderTable;
  readonly outbox: OutboxTable;
  readonly document_versions: DocumentVersionTable;
  readonly version_files: VersionFileTable;
  readonly version_texts: VersionTextTable;
  readonly version_chunks: VersionChunkTable;
  readonly past_chunks: PastChunkTable;
  readonly past_chunk_vectors: ChunkVectorTable;
  readonly kept_chunks: KeptChunkTable;
  readonly visible_originals: VisibleOriginalTable;
  readonly conversations: ConversationTable;
  readonly messages: MessageTable;
  readonly conversation_summaries: ConversationSummaryTable;
  readonly ingestion_tasks: IngestionTaskTable;
  readonly settings: SettingTable;
}
