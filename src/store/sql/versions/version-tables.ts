import type { Generated } from 'kysely';
import type { DocumentTextTable } from '../documents/document-tables.ts';
import type { ChunkVectorTable } from '../vector-spaces/vector-tables.ts';

/** JSON stored as text; its type is noted beside each column. Times are ISO-8601 in UTC. */
type JsonText = string;

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
  /** Name of the object that stores the bytes instead; `bytes` is then empty. */
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
  /** Name of the object that stores the bytes instead; `bytes` is then empty. */
  readonly object: Generated<string | null>;
  /** Metadata */
  readonly settings: JsonText;
}

/** The tables of earlier versions, and of what a pending replacement keeps from the visible version. */
export interface VersionTables {
  readonly document_versions: DocumentVersionTable;
  readonly version_files: VersionFileTable;
  readonly version_texts: VersionTextTable;
  readonly version_chunks: VersionChunkTable;
  readonly past_chunks: PastChunkTable;
  readonly past_chunk_vectors: ChunkVectorTable;
  readonly kept_chunks: KeptChunkTable;
  readonly visible_originals: VisibleOriginalTable;
}
