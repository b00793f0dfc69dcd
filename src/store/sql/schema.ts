import type { Generated } from 'kysely';
import type { GraphTables } from './graph/graph-tables.ts';
import type { SourceTables } from './source-schema.ts';
import type { UserTables } from './users/user-tables.ts';

/** JSON stored as text; its type is noted beside each column. Times are ISO-8601 in UTC. */
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
  /** SummaryStatus: whether a model's summary is written or pending */
  readonly summary_status: Generated<string>;
  /** The model that wrote the summary; null when it was taken from the text. */
  readonly summary_by: Generated<string | null>;
  /** Why the summary by a model is missing. */
  readonly summary_note: Generated<string | null>;
  /** Metadata: the settings of the last ingestion */
  readonly settings: JsonText;
  /** Fields of a submission that is to replace a visible document (Submitted); null when none is pending. */
  readonly submitted: JsonText | null;
  readonly total_tokens: number;
  readonly text_length: number;
  readonly chunk_count: number;
  /** Generation of the visible chunks; 0 when there are none. */
  readonly generation: number;
  /** When the visible content was published; null when there is none. */
  readonly published_at: Generated<string | null>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface DocumentFileTable {
  readonly document_key: number;
  readonly bytes: Uint8Array;
  /** Name of the object that has the bytes instead; `bytes` is empty then. */
  readonly object: Generated<string | null>;
}

export interface DocumentTextTable {
  readonly document_key: number;
  readonly text: string;
  /** PageSpan[] */
  readonly pages: JsonText;
  /** HeadingSpan[], as `toHeadingsJson` writes them */
  readonly headings: Generated<JsonText>;
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
  /** GraphStatus, both columns */
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
  /** Never reused, so that a removed chunk's entry in the vector index cannot match a new one. */
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
  /** The chunk's own metadata, without inherited fields */
  readonly metadata: JsonText;
  /** Hash of the embedded text; null when it is not known exactly. */
  readonly embedding_hash: Generated<string | null>;
  /** Context a model wrote for the chunk: used for search, never shown. */
  readonly context: Generated<string | null>;
}

/** Cache of generated chunk contexts, by a hash of all their inputs. */
export interface ChunkContextTable {
  readonly document_key: number;
  readonly hash: string;
  readonly context: string;
  readonly created_at: string;
}

/** Vectors of titles and summaries, of documents or of their earlier versions. */
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

export interface VectorCodeTable {
  /** Rises with every insertion. */
  readonly key: Generated<number>;
  readonly space_key: number;
  readonly chunk_key: number;
  /** Of `vectorCoding`. */
  readonly code: Uint8Array;
}

export interface LearnedEmbedderTable {
  readonly embedder: string;
  readonly version: string;
  readonly artefact: Uint8Array;
  readonly created_at: string;
}

export interface OutboxTable {
  readonly key: Generated<number>;
  readonly kind: 'upsert' | 'remove' | 'place' | 'drop';
  /** Null for `drop`, whose space no longer exists. */
  readonly space_key: number | null;
  /** KeyRange[], or the name of the collection to drop as a JSON string */
  readonly payload: JsonText;
  readonly created_at: string;
}

export interface FullTextChangeTable {
  readonly key: Generated<number>;
  /** Every chunk that was added or removed has a key in this range. */
  readonly first_chunk: number;
  readonly last_chunk: number;
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
  /** The last message it covers. */
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
  /** Number of times the process ended while the task was running. */
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

/** A version of a document that has been replaced. */
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
  /** When its content was pruned; only this row remains then. */
  readonly retired_at: string | null;
  /** RetirementReceipt */
  readonly receipt: JsonText | null;
}

export interface VersionFileTable {
  readonly version_key: number;
  readonly bytes: Uint8Array;
  /** Name of the object that has the bytes instead; `bytes` is empty then. */
  readonly object: Generated<string | null>;
}

export interface VersionTextTable extends Omit<DocumentTextTable, 'document_key'> {
  readonly version_key: number;
}

/**
 * Positions of chunks in a version; the chunk itself is in `chunks`, or in `past_chunks` once it is no longer visible.
 */
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

/** Visible chunks that are reused by the staged content of their document, with their new positions. */
export interface KeptChunkTable extends Omit<VersionChunkTable, 'version_key'> {
  readonly document_key: number;
}

/** Original of the visible version, while `document_files` and `settings` hold those of its replacement. */
export interface VisibleOriginalTable {
  readonly document_key: number;
  readonly bytes: Uint8Array;
  /** Name of the object that has the bytes instead; `bytes` is empty then. */
  readonly object: Generated<string | null>;
  /** Metadata */
  readonly settings: JsonText;
}

/** Objects that are to be removed, unless a record refers to them. */
export interface ObjectRemovalTable {
  readonly object: string;
  /** Empty for at once; later for one that is just being written, and will be referred to. */
  readonly due_at: string;
  /** When its removal began, after which no record may refer to it any more. */
  readonly claimed_at: Generated<string | null>;
}

/** The tables of the record store, without the full-text indexes, which differ between database engines. */
export interface Tables extends UserTables, GraphTables, SourceTables {
  readonly documents: DocumentTable;
  readonly document_files: DocumentFileTable;
  readonly document_texts: DocumentTextTable;
  readonly document_collections: DocumentCollectionTable;
  readonly collections: CollectionTable;
  readonly collection_members: CollectionMemberTable;
  readonly prompts: PromptTable;
  readonly full_text_changes: FullTextChangeTable;
  readonly chunks: ChunkTable;
  readonly vector_spaces: VectorSpaceTable;
  readonly chunk_vectors: ChunkVectorTable;
  readonly vector_codes: VectorCodeTable;
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
  readonly object_removals: ObjectRemovalTable;
  readonly settings: SettingTable;
}
