import type { Chunk } from '../documents/chunk.ts';
import type { Document, IngestionStatus, Metadata, PageSpan } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import type { VectorSpaceName } from './vector-index.ts';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface Paged<T> {
  readonly items: readonly T[];
  /** Count before paging. */
  readonly total: number;
}

/** What is known of a document before it is read. */
export interface NewDocument {
  readonly id: string;
  readonly ownerId: string;
  readonly collectionIds: readonly string[];
  readonly type: string;
  readonly title: string;
  readonly metadata: Metadata;
  readonly source: string | null;
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Settings of this ingestion as JSON, kept so that an interrupted one goes on as it began. */
  readonly settings: Metadata;
}

/** A chunk on its way in; identifiers and inherited fields are the corpus's to give. */
export interface NewChunk {
  readonly text: string;
  readonly order: number;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly headingPath: readonly string[];
  readonly metadata?: Metadata;
  readonly vector: Float32Array;
}

export interface ExtractedText {
  readonly text: string;
  readonly pages: readonly PageSpan[];
}

/** What publishing adds to a document besides its chunks. */
export interface Publication extends ExtractedText {
  readonly title?: string;
  readonly type?: string;
  readonly metadata?: Metadata;
  readonly summary: string | null;
  readonly totalTokens: number;
}

/** Counts of what a deletion removed. */
export interface DeletionReceipt {
  readonly documents: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly fullTextEntries: number;
  readonly files: number;
}

export interface CorpusStats {
  readonly documents: Readonly<Record<IngestionStatus, number>>;
  readonly chunks: number;
  readonly collections: number;
  /** Chunks the vector index still owes; 0 when both stores are in step. */
  readonly owedToIndex: number;
  readonly space: (VectorSpaceName & { readonly collection: string }) | null;
}

/**
 * Documents and their chunks, kept in step over the record store and the vector index.
 *
 * A document's chunks become visible all at once, in `publish`, and only after the vector index has them; until then
 * a new document has none and a document that is ingested again keeps its old ones. Every method that returns has its
 * effect on disk.
 */
export interface Corpus {
  /**
   * Registers a document as `pending` with its bytes, before any work on it. An existing id is taken over when its
   * last ingestion failed or `replace` is set, else ServiceError('conflict').
   */
  begin(document: NewDocument, options?: { readonly replace?: boolean }): Promise<Document>;
  setStatus(id: string, status: IngestionStatus): Promise<void>;
  /**
   * Adds invisible chunks. Repeated for large documents; all belong to the ingestion begun last, and going back to
   * `parsing` drops them. `embeddedIn` names the space of the vectors: it throws `embedding_mismatch` when the corpus
   * has moved to another since.
   */
  stage(id: string, chunks: readonly NewChunk[], embeddedIn?: VectorSpaceName): Promise<void>;
  /**
   * Puts the staged chunks into the vector index, then makes them the document's chunks and the status `success`.
   * An index that is down does not keep a document back: it is owed the vectors, and exact search finds them.
   */
  publish(id: string, publication: Publication): Promise<Document>;
  /** Drops what was staged and records why; what was visible before stays visible. */
  fail(id: string, reason: string): Promise<void>;
  /** Documents whose ingestion was begun and neither published nor failed, oldest first. */
  unfinished(): Promise<readonly Document[]>;
  /** The settings given to `begin`. */
  settingsOf(id: string): Promise<Metadata>;

  get(id: string): Promise<Document | undefined>;
  /** Newest created first. */
  list(filter: Filter, page: Page): Promise<Paged<Document>>;
  /** A visible document of that owner with these bytes, if any. */
  findByContent(ownerId: string, contentHash: string): Promise<Document | undefined>;
  bytesOf(id: string): Promise<Uint8Array | undefined>;
  textOf(id: string): Promise<ExtractedText | undefined>;
  /** Visible chunks in order. */
  chunksOf(id: string, page: Page): Promise<Paged<Chunk>>;
  /** The visible ones of these chunks, in no particular order; unknown ids are left out. */
  chunksById(ids: readonly string[]): Promise<readonly Chunk[]>;
  /** Stored vectors of these chunks in the current space, by chunk id. */
  vectorsOf(chunkIds: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Documents by title and summary with BM25, best first, `score` in [0, 1). */
  searchDocuments(query: {
    readonly text: string;
    readonly filter: Filter;
    readonly limit: number;
    readonly offset: number;
  }): Promise<Paged<Document & { readonly score: number }>>;
  /** `merge` keeps keys that are not named; `replace` drops them. Filters see the change at once. */
  setMetadata(id: string, metadata: Metadata, how: 'merge' | 'replace'): Promise<Document>;
  remove(filter: Filter): Promise<DeletionReceipt>;
  /** Documents and chunks are those that fit the filter. */
  stats(filter?: Filter): Promise<CorpusStats>;
}
