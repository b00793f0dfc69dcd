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
  /** What a model wrote to place the passage in its document: it is found by it, and nobody is shown it. */
  readonly context?: string;
  /** What `vector` is of, so that the same passage is known again when the document is ingested again. */
  readonly embeddedText?: string;
  readonly vector: Float32Array;
}

/** What a chunk is to be from now on; what is absent stays. */
export interface ChunkChange {
  /** Other words, and their vector in the space `embeddedIn` names. */
  readonly words?: {
    readonly text: string;
    readonly vector: Float32Array;
    readonly embeddedIn: VectorSpaceName;
  };
  /** Merged into the chunk's own, which hides what it inherits. */
  readonly metadata?: Metadata;
}

export interface ExtractedText {
  readonly text: string;
  readonly pages: readonly PageSpan[];
}

/** What publishing adds to a document besides its chunks. */
export interface Publication extends ExtractedText {
  /** The submission it is of; a later one makes publishing a conflict. */
  readonly attempt?: number;
  /** How many passages there are; fewer, because one was edited or removed meanwhile, make publishing a conflict. */
  readonly passages?: number;
  readonly title?: string;
  readonly type?: string;
  readonly metadata?: Metadata;
  readonly summary: string | null;
  /** Who wrote the summary, which is to stay then; null when it was taken from the text for good. */
  readonly summaryBy?: string | null;
  /** The model that is to write another one once the document can be seen. */
  readonly summaryModel?: string;
  readonly totalTokens: number;
}

export interface DocumentQuery {
  readonly text: string;
  readonly filter: Filter;
  readonly limit: number;
  readonly offset: number;
  /** Undefined means what fits the embedder. */
  readonly kind?: 'semantic' | 'full_text' | 'hybrid';
  /** How the two are weighed against each other, where not as usual. */
  readonly hybrid?: { readonly fullTextWeight?: number; readonly semanticWeight?: number; readonly rrfK?: number };
  readonly signal?: AbortSignal;
}

export type FoundDocument = Document & {
  readonly score: number;
  /** What it was found by; by words where nothing is said. */
  readonly searchedBy?: 'semantic' | 'full_text' | 'hybrid';
};

/** Counts of what a deletion removed. */
export interface DeletionReceipt {
  readonly documents: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly fullTextEntries: number;
  readonly files: number;
  /** Entities and relationships that only what was removed had told of. */
  readonly graphRows: number;
  /** Kept answers that rested on what is gone. */
  readonly cached?: number;
  /** Earlier versions that went with their documents; their vectors, entries and files are counted in above. */
  readonly versions?: number;
  /** Passages that only those had. */
  readonly pastChunks?: number;
  /** How many passages the vector index was told to forget; `owed` when it still has to do it, which it will. */
  readonly index?: { readonly removed: number; readonly state: 'confirmed' | 'owed' };
  /**
   * Whether searches by words, by meaning and in the index itself, made after the removal for what was removed, gave
   * nothing of it back; `pending` while the index owes it.
   */
  readonly verified?: boolean | 'pending';
}

export interface CorpusStats {
  readonly documents: Readonly<Record<IngestionStatus, number>>;
  readonly chunks: number;
  readonly collections: number;
  /** Chunks the vector index still owes; 0 when both stores are in step. */
  readonly owedToIndex: number;
  readonly space: (VectorSpaceName & { readonly collection: string }) | null;
}

/** The reading side of a corpus, as it could be seen at one time. */
export type CorpusView = Pick<
  Corpus,
  'get' | 'list' | 'bytesOf' | 'textOf' | 'chunksOf' | 'chunksById' | 'searchDocuments'
>;

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
   * last ingestion failed or `replace` is set, else ServiceError('conflict'). Its task is the caller's to do, or with
   * `queued` that of whoever works on the queue.
   *
   * `attempt`, below, names the submission a call is made for; when a later one has taken its place the call is a
   * ServiceError('conflict') and changes nothing.
   */
  begin(document: NewDocument, options?: { readonly replace?: boolean; readonly queued?: boolean }): Promise<Document>;
  setStatus(id: string, status: IngestionStatus, attempt?: number): Promise<void>;
  /**
   * Adds invisible chunks. Repeated for large documents; all belong to the ingestion begun last, and going back to
   * `parsing` drops them. `embeddedIn` names the space of the vectors: it throws `embedding_mismatch` when the corpus
   * has moved to another since.
   */
  stage(id: string, chunks: readonly NewChunk[], embeddedIn?: VectorSpaceName, attempt?: number): Promise<void>;
  /**
   * Stages those of these passages that can be seen already, word for word and embedded from the same text under the
   * same title, as they are: identifier, own metadata and vectors stay. Returns the `order` of each that needs no
   * `stage` any more.
   */
  keep(
    id: string,
    passages: readonly Omit<NewChunk, 'vector'>[],
    title: string,
    attempt?: number,
  ): Promise<ReadonlySet<number>>;
  /**
   * Puts the staged chunks into the vector index, then makes them the document's chunks and the status `success`.
   * An index that is down does not keep a document back: it is owed the vectors, and exact search finds them.
   */
  publish(id: string, publication: Publication): Promise<Document>;
  /** Drops what was staged and records why; what was visible before stays visible. */
  fail(id: string, reason: string, attempt?: number): Promise<void>;
  /** Documents whose ingestion was begun and neither published nor failed, oldest first. */
  unfinished(): Promise<readonly Document[]>;
  /** The settings given to `begin`. */
  settingsOf(id: string): Promise<Metadata>;

  /**
   * The corpus as it could be seen at a time (ISO-8601, UTC), as far as the versions of then are kept. Owners and
   * collections are those of today, and so is who may see what.
   */
  at(asOf: string): CorpusView;
  get(id: string): Promise<Document | undefined>;
  /** Newest created first. */
  list(filter: Filter, page: Page): Promise<Paged<Document>>;
  /** All that fit, oldest first, read a few at a time; what comes or goes meanwhile may be among them or not. */
  each(filter: Filter): AsyncGenerator<Document, void>;
  /** A visible document of that owner with these bytes, if any. */
  findByContent(ownerId: string, contentHash: string): Promise<Document | undefined>;
  bytesOf(id: string): Promise<Uint8Array | undefined>;
  textOf(id: string): Promise<ExtractedText | undefined>;
  /** Visible chunks in order. */
  chunksOf(id: string, page: Page): Promise<Paged<Chunk>>;
  /** The visible ones of these chunks, in no particular order; unknown ids are left out. */
  chunksById(ids: readonly string[]): Promise<readonly Chunk[]>;
  /** Visible chunks, the oldest document's first, each document's in order. */
  listChunks(filter: Filter, page: Page): Promise<Paged<Chunk>>;
  /**
   * Changes a visible chunk, for every leg at once. New words also take the old ones' place in the document's text, and
   * what stands behind them moves; a neighbour that shares the changed words keeps its own. Throws `not_found`,
   * `embedding_mismatch` when the corpus has moved to another space, `conflict` while the document is ingested again.
   */
  editChunk(id: string, change: ChunkChange): Promise<Chunk>;
  /** Removes a visible chunk; its document goes with the last one. The document's text and file stay. Throws as `editChunk`. */
  removeChunk(id: string): Promise<DeletionReceipt>;
  /** Stored vectors of these chunks in the current space, by chunk id. */
  vectorsOf(chunkIds: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Documents by title and summary, best first, `score` in [0, 1). The records alone search them by words, with BM25. */
  searchDocuments(query: DocumentQuery): Promise<Paged<FoundDocument>>;
  /**
   * `merge` keeps keys that are not named; `replace` drops them. A `title` that is a text names the document anew, and
   * without one it keeps its name. Filters and full text see the change at once.
   */
  setMetadata(id: string, metadata: Metadata, how: 'merge' | 'replace'): Promise<Document>;
  remove(filter: Filter): Promise<DeletionReceipt>;
  /** Documents and chunks are those that fit the filter. */
  stats(filter?: Filter): Promise<CorpusStats>;
}
