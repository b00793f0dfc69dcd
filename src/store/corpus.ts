import type { Chunk, ChunkText } from '../documents/chunk.ts';
import type { Document, FailureRemedy, IngestionStatus, Metadata, Outline } from '../documents/document.ts';
import type { DocumentOrder } from '../documents/document-order.ts';
import type { Filter } from '../documents/filter.ts';
import type { Original } from './originals/original.ts';
import type { Attempt } from './taken-over.ts';
import type { VectorSpaceName } from './vector-index.ts';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface Paged<T> {
  readonly items: readonly T[];
  /** The number of all entries, before paging. */
  readonly total: number;
}

export interface DocumentListPage extends Page {
  readonly order?: DocumentOrder;
}

/** Properties of a document known before it is read. */
export interface NewDocument
  extends Pick<Document, 'id' | 'ownerId' | 'collectionIds' | 'type' | 'title' | 'metadata'> {
  readonly source: string | null;
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hexadecimal, if already known. */
  readonly contentHash?: string;
  /** Settings of this ingestion as JSON, stored so that an interrupted ingestion resumes with the same settings. */
  readonly settings: Metadata;
  /** Those of `collectionIds` that are created with the document, for its owner; existing ones stay unchanged. */
  readonly newCollections?: readonly NamedCollection[] | undefined;
}

/** A collection that a submission creates under this name. */
export interface NamedCollection {
  readonly id: string;
  readonly name: string;
}

/** A chunk to be stored; the corpus assigns its identifier and inherited fields. */
export interface NewChunk extends ChunkText {
  readonly metadata?: Metadata;
  /** Context a model wrote for the chunk (contextual retrieval): used for search, never shown. */
  readonly context?: string;
  /** The text `vector` was computed from, used to recognise an unchanged chunk when the document is ingested again. */
  readonly embeddedText?: string;
  readonly vector: Float32Array;
}

/** Changes to a chunk; absent fields stay unchanged. */
export interface ChunkChange {
  /** New text and its vector in the space `embeddedIn`. */
  readonly words?: {
    readonly text: string;
    readonly vector: Float32Array;
    readonly embeddedIn: VectorSpaceName;
  };
  /** Merged into the chunk's own metadata, which overrides what it inherits. */
  readonly metadata?: Metadata;
}

export interface ExtractedText extends Outline {
  readonly text: string;
}

export interface IngestionFailure {
  /** For users. */
  readonly reason: string;
  readonly remedy: FailureRemedy;
}

/** What publishing sets on a document besides its chunks. */
export interface Publication extends ExtractedText {
  /** The submission that is published; a later submission makes publishing a conflict. */
  readonly attempt?: Attempt;
  /** Expected number of chunks; when one was edited or removed in the meantime, publishing is a conflict. */
  readonly chunkCount?: number;
  readonly title?: string;
  readonly type?: string;
  readonly metadata?: Metadata;
  readonly summary: string | null;
  /** Author of a final summary; null if the summary is a final extract of the text. */
  readonly summaryBy?: string | null;
  /** The model that is to write a new summary after the document is published. */
  readonly summaryModel?: string;
  readonly totalTokens: number;
  /** Chunks that were not staged; they are stored in the same transaction. */
  readonly chunks?: readonly NewChunk[];
  /** The space of their vectors, as in `stage`. */
  readonly embeddedIn?: VectorSpaceName;
}

export interface DocumentQuery {
  readonly text: string;
  readonly filter: Filter;
  readonly limit: number;
  readonly offset: number;
  /** Undefined selects the kind that suits the embedder. */
  readonly kind?: 'semantic' | 'full_text' | 'hybrid';
  /** Weights of the two legs; absent fields take the defaults. */
  readonly hybrid?: { readonly fullTextWeight?: number; readonly semanticWeight?: number; readonly rrfK?: number };
  readonly signal?: AbortSignal;
}

export type FoundDocument = Document & {
  readonly score: number;
  /** How the hit was found; full text when absent. */
  readonly searchedBy?: 'semantic' | 'full_text' | 'hybrid';
};

/** Counts of what a deletion removed. */
export interface DeletionReceipt {
  readonly documents: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly fullTextEntries: number;
  readonly files: number;
  /** Entities and relationships that only the removed content mentioned. */
  readonly graphRows: number;
  /** Cached answers that used the removed content. */
  readonly cached?: number;
  /**
   * Earlier versions removed with their documents; their vectors, entries and files are included in the counts above.
   */
  readonly versions?: number;
  /** Chunks that belonged only to those versions. */
  readonly pastChunks?: number;
  /** Number of chunks to remove from the vector index; `pending` while the removal is still pending. */
  readonly index?: { readonly removed: number; readonly state: 'confirmed' | 'pending' };
  /**
   * Whether full-text search, vector search and the index itself, queried for the removed content after the removal,
   * returned none of it; `pending` while removals from the index are pending.
   */
  readonly verified?: boolean | 'pending';
}

export interface CorpusStats {
  readonly documents: Readonly<Record<IngestionStatus, number>>;
  readonly chunks: number;
  readonly collections: number;
  /** Chunks with pending writes to the vector index; 0 when both stores are in step. */
  readonly pendingIndexWrites: number;
  readonly space: (VectorSpaceName & { readonly collection: string }) | null;
}

export type MetadataValue = string | number | boolean;

export interface Counted<T> {
  readonly value: T;
  /** Number of documents with this value. */
  readonly count: number;
}

/** Values of one metadata key, the most frequent first. */
export interface MetadataFacet {
  readonly key: string;
  readonly values: readonly Counted<MetadataValue>[];
}

/** The values that a search filter can offer. */
export interface DocumentFacets {
  readonly documents: number;
  readonly types: readonly Counted<string>[];
  /** By identifier. */
  readonly collections: readonly Counted<string>[];
  /** The most frequent keys with few values. */
  readonly metadata: readonly MetadataFacet[];
}

/** The read operations of a corpus, as of one point in time. */
export type CorpusView = Pick<
  Corpus,
  'get' | 'list' | 'bytesOf' | 'originalOf' | 'textOf' | 'outlinesOf' | 'chunksOf' | 'chunksById' | 'searchDocuments'
>;

export interface BeginOptions {
  readonly replace?: boolean;
  readonly queued?: boolean;
  /** The caller reports nothing before the document is published, so the submission need not be on disk before that. */
  readonly isAwaited?: boolean;
}

export interface IngestionStep {
  readonly attempt?: Attempt | undefined;
  /** Set in the same transaction, because every transaction waits for the disk. */
  readonly status?: IngestionStatus | undefined;
}

export interface StageOptions extends IngestionStep {
  /** The space of the vectors. */
  readonly embeddedIn?: VectorSpaceName | undefined;
}

/** Chunks before they are embedded. */
export interface DescribedChunks {
  readonly title: string;
  readonly chunks: readonly Omit<NewChunk, 'vector'>[];
}

export interface BegunDocument {
  readonly document: Document;
  readonly settings: Metadata;
}

/**
 * Documents and their chunks, kept in step across the record store and the vector index.
 *
 * A document's chunks become visible together, in `publish`, and searches find them from then on; until then a new
 * document has none and a document that is ingested again keeps its old ones. The effect of every method is on disk
 * when it returns, except that a power failure may undo a status set during an ingestion and an awaited submission.
 */
export interface Corpus {
  /**
   * Registers a document as `pending` with its bytes, before any processing. The buffer of bytes passed through
   * `markTransferable` may be transferred, which leaves it empty. An existing id is reused when its last ingestion failed or
   * `replace` is set; otherwise throws ServiceError('conflict'). The task is processed by the caller or, with `queued`,
   * by a worker of the queue.
   *
   * In the methods below, `attempt` names the submission that a call belongs to. If a later submission has replaced it,
   * or another process has taken over the task, the call throws ServiceError('conflict') and changes nothing.
   */
  begin(document: NewDocument, options?: BeginOptions): Promise<Document>;
  setStatus(id: string, status: IngestionStatus, attempt?: Attempt): Promise<void>;
  /**
   * Adds invisible chunks. Called repeatedly for large documents; all belong to the latest ingestion, and going back to
   * `parsing` drops them. Throws `embedding_mismatch` when the corpus has moved to another space than `embeddedIn`.
   */
  stage(id: string, chunks: readonly NewChunk[], options?: StageOptions): Promise<void>;
  /**
   * Stages those of these chunks that are already visible with the same text, embedded text and title, keeping their
   * identifiers, own metadata and vectors. Returns the `order` of each chunk that no longer needs `stage`.
   */
  keep(id: string, described: DescribedChunks, options?: IngestionStep): Promise<ReadonlySet<number>>;
  /**
   * Makes the staged chunks, and those of the publication, the document's chunks and sets the status `success`. Staged
   * chunks are written to the vector index first. Other chunks, and all if the index is down, are written to it
   * afterwards, and exact search finds them until then.
   */
  publish(id: string, publication: Publication): Promise<Document>;
  /** Drops the staged chunks and records the failure; what was visible before stays visible. */
  fail(id: string, failure: IngestionFailure, attempt?: Attempt): Promise<void>;
  /** Documents whose ingestion was begun and neither published nor failed, oldest first. */
  unfinished(): Promise<readonly Document[]>;
  /** The settings given to `begin`. */
  settingsOf(id: string): Promise<Metadata>;
  /** The document with the settings of its latest ingestion. Throws `not_found`. */
  begun(id: string): Promise<BegunDocument>;

  /**
   * The corpus as of a point in time (ISO-8601, UTC), as far as versions of that time are kept. Owners, collections and
   * access rights are the current ones.
   */
  at(asOf: string): CorpusView;
  get(id: string): Promise<Document | undefined>;
  /** Newest created first, unless the order is another one. */
  list(filter: Filter, page: DocumentListPage): Promise<Paged<Document>>;
  /**
   * All matching documents, oldest first, read in small batches; documents added or removed meanwhile may or may not be
   * included.
   */
  each(filter: Filter): AsyncGenerator<Document, void>;
  /** A visible document of that owner with this content hash, if any. */
  findByContent(ownerId: string, contentHash: string): Promise<Document | undefined>;
  /** The most recently submitted file, complete; undefined if none is stored. */
  bytesOf(id: string): Promise<Uint8Array | undefined>;
  /** The file behind the visible content, even if a newer submission is pending. It can be read in parts. */
  originalOf(id: string): Promise<Original | undefined>;
  /** Writes the uploaded file to this path, which must not exist yet; false if none is stored. */
  saveOriginal(id: string, path: string): Promise<boolean>;
  textOf(id: string): Promise<ExtractedText | undefined>;
  /** Positions of pages and sections in the texts of these documents, by identifier; unknown ones are left out. */
  outlinesOf(ids: readonly string[]): Promise<ReadonlyMap<string, Outline>>;
  /** Visible chunks of the document, in order. */
  chunksOf(id: string, page: Page): Promise<Paged<Chunk>>;
  /** Those of these chunks that are visible, in no particular order; unknown ids are left out. */
  chunksById(ids: readonly string[]): Promise<readonly Chunk[]>;
  /** Visible chunks, ordered by document (oldest first), then by position. */
  listChunks(filter: Filter, page: Page): Promise<Paged<Chunk>>;
  /**
   * Changes a visible chunk in both search legs. New text also replaces the old text in the document's text, and later
   * positions shift; an overlapping neighbour keeps its own text. Throws `not_found`, `embedding_mismatch` when the
   * corpus has moved to another space, `conflict` while the document is being ingested again.
   */
  editChunk(id: string, change: ChunkChange): Promise<Chunk>;
  /**
   * Removes a visible chunk; removing the last one removes its document too. Otherwise the document's text and file
   * are kept. Throws the same errors as `editChunk`.
   */
  removeChunk(id: string): Promise<DeletionReceipt>;
  /** Stored vectors of these chunks in the current space, by chunk id. */
  vectorsOf(chunkIds: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /**
   * Documents by title and summary, best first, `score` in [0, 1). The record store alone offers only full-text search,
   * with BM25.
   */
  searchDocuments(query: DocumentQuery): Promise<Paged<FoundDocument>>;
  /**
   * `merge` keeps keys that are not named; `replace` drops them. A string `title` renames the document; without one the
   * document keeps its name. Filters and full-text search use the change immediately.
   */
  setMetadata(id: string, metadata: Metadata, mode: 'merge' | 'replace'): Promise<Document>;
  remove(filter: Filter): Promise<DeletionReceipt>;
  /** Counts the documents and chunks that pass the filter. */
  stats(filter?: Filter): Promise<CorpusStats>;
  /** Counts over all documents with visible chunks that pass the filter. */
  facets(filter: Filter): Promise<DocumentFacets>;
}
