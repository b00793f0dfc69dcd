import type { Generated } from 'kysely';

/** JSON stored as text; its type is noted beside each column. Times are ISO-8601 in UTC. */
type JsonText = string;

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
  /** Encoded by `vectorCoding`. */
  readonly code: Uint8Array;
}

/** Vectors of titles and summaries, of documents or of their earlier versions. */
export interface DescriptionVectorTable {
  readonly space_key: number;
  readonly described_key: number;
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
  readonly kind: 'upsert' | 'remove' | 'place' | 'drop';
  /** Null for `drop`, whose space no longer exists. */
  readonly space_key: number | null;
  /** KeyRange[], or the name of the collection to drop as a JSON string */
  readonly payload: JsonText;
  readonly created_at: string;
}

/** The tables of vector spaces, their vectors, and the pending writes to the vector index. */
export interface VectorTables {
  readonly vector_spaces: VectorSpaceTable;
  readonly chunk_vectors: ChunkVectorTable;
  readonly vector_codes: VectorCodeTable;
  readonly document_vectors: DescriptionVectorTable;
  readonly version_vectors: DescriptionVectorTable;
  readonly learned_embedders: LearnedEmbedderTable;
  readonly outbox: OutboxTable;
}
