import type { Generated } from 'kysely';

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
  /** FailureRemedy of a failed ingestion; null if unknown. */
  readonly failure_remedy: Generated<string | null>;
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
  /** Name of the object that stores the bytes instead; `bytes` is then empty. */
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

export interface FullTextChangeTable {
  readonly key: Generated<number>;
  /** Every chunk that was added or removed has a key in this range. */
  readonly first_chunk: number;
  readonly last_chunk: number;
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

/** The tables of visible documents and their chunks. */
export interface DocumentTables {
  readonly documents: DocumentTable;
  readonly document_files: DocumentFileTable;
  readonly document_texts: DocumentTextTable;
  readonly full_text_changes: FullTextChangeTable;
  readonly chunks: ChunkTable;
  readonly chunk_contexts: ChunkContextTable;
  readonly ingestion_tasks: IngestionTaskTable;
}
