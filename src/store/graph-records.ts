import type { Metadata } from '../documents/document.ts';
import type { Community, ExtractedGraph, GraphChunk } from '../graph/graph.ts';
import type { Progress } from '../shared/leased-queue.ts';

import type { Page, Paged } from './corpus.ts';
import type { VectorSpaceName } from './vector-index.ts';

export type { Entity, ExtractedGraph, Mention, Relationship } from '../graph/graph.ts';

/** A published document whose chunks are to be extracted. */
export interface ExtractionTask {
  readonly documentId: string;
  readonly title: string;
  /** Distinguishes these chunks from those of a later ingestion. */
  readonly generation: number;
  /** The requested extractor; null for the default one. */
  readonly requested: string | null;
  /** Identifies this try if several processes share the database. */
  readonly token?: number;
  readonly chunks: readonly GraphChunk[];
}

export interface ExtractionBacklog {
  /** Documents that are waiting or being processed. */
  readonly waiting: number;
  readonly failed: number;
}

export interface Extraction {
  readonly extractor: string | null;
  readonly failure: string | null;
  readonly entities: number;
  readonly relationships: number;
}

/**
 * Extracted graphs of single documents. Published documents with pending extraction are the queue: nothing else has to
 * be stored to resume after the process was killed.
 */
export interface DocumentGraphRecords {
  /**
   * Takes the next document and sets it to `processing`: explicitly requested ones first, then the smallest. `asked`
   * restricts it to explicitly requested ones.
   */
  next(which?: 'all' | 'asked'): Promise<ExtractionTask | undefined>;
  /** Puts documents that were being processed back into the queue. */
  requeue(): Promise<void>;
  /**
   * Queues a new extraction of a document, by this extractor or the default one. The existing result stays until then.
   */
  request(documentId: string, extractor: string | null): Promise<void>;
  /**
   * Saves the result and merges it into the graphs of the document's collections. False when the document was ingested
   * again, changed or deleted in the meantime; it is then queued again, or gone.
   */
  save(task: ExtractionTask, extractor: string, graph: ExtractedGraph): Promise<boolean>;
  fail(task: ExtractionTask, reason: string): Promise<void>;
  /**
   * Merges extracted documents that are missing from the graphs of their collections, as left by earlier versions of
   * the program that merged only on request.
   */
  mergeRemaining(signal: AbortSignal): Promise<void>;
  /** Records that the document's extraction has been merged. Does nothing if nothing was extracted. */
  markMerged(documentId: string): Promise<void>;
  /** Completed parts of a long extraction, by part number. */
  parts(task: ExtractionTask, extractor: string): Promise<ReadonlyMap<number, ExtractedGraph>>;
  keepPart(task: ExtractionTask, extractor: string, part: number, graph: ExtractedGraph): Promise<void>;
  backlog(): Promise<ExtractionBacklog>;
  /** True while documents are being ingested, which has priority. */
  isIngesting(): Promise<boolean>;
  extractionOf(documentId: string): Promise<Extraction | undefined>;
  /** The chunks that an extraction of the document would read. */
  extractionChunksOf(documentId: string): Promise<readonly GraphChunk[]>;
}

/** Entity names and their vectors in the current space. */
export interface GraphNameRecords {
  /** The most mentioned names without a vector in this space; empty when the corpus uses another space. */
  unembeddedNames(
    space: VectorSpaceName,
    max: number,
  ): Promise<readonly { readonly key: number; readonly name: string }[]>;
  keepVectors(
    space: VectorSpaceName,
    vectors: readonly { readonly key: number; readonly vector: Float32Array }[],
  ): Promise<void>;
}

/** `extracted` rows are deleted with their last source; `made` rows were created or edited manually, and stay. */
export type GraphOrigin = 'extracted' | 'made';

interface GraphRow {
  readonly id: string;
  /** The document or the collection it belongs to. */
  readonly parentId: string;
  readonly origin: GraphOrigin;
  readonly description: string;
  readonly metadata: Metadata;
  /** Chunks that mention it; truncated when there are many. */
  readonly chunkIds: readonly string[];
  readonly mentions: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredEntity extends GraphRow {
  readonly name: string;
  readonly category: string | null;
}

export interface StoredRelationship extends GraphRow {
  readonly subject: string;
  readonly subjectId: string;
  readonly predicate: string;
  readonly object: string;
  readonly objectId: string;
  readonly weight: number;
}

export interface StoredCommunity extends Omit<Community, 'members'> {
  readonly id: string;
  readonly collectionId: string;
  readonly origin: GraphOrigin;
  readonly attributes: Metadata;
  /** Member entities, the most central first. */
  readonly memberIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface RelationshipQuery extends Page {
  /** Matches either end; empty means any. */
  readonly entityNames?: readonly string[];
  /** Empty means any. */
  readonly predicates?: readonly string[];
}

/** What entities and relationships belong to. */
export type GraphParent =
  | { readonly kind: 'document'; readonly id: string }
  | { readonly kind: 'collection'; readonly id: string };

/** Names and edges of a whole graph, for finding communities and for drawing. */
export interface GraphOutline {
  readonly nodes: readonly {
    readonly id: string;
    readonly name: string;
    readonly category: string | null;
    readonly description: string;
    readonly mentions: number;
  }[];
  readonly edges: readonly {
    readonly id: string;
    readonly subjectId: string;
    readonly objectId: string;
    readonly predicate: string;
    readonly description: string;
    readonly weight: number;
  }[];
  /** Before the limits are applied. */
  readonly totalNodes: number;
  readonly totalEdges: number;
}

export interface CollectionGraph {
  readonly collectionId: string;
  readonly name: string;
  readonly description: string | null;
  readonly documentIds: readonly string[];
  readonly entities: number;
  readonly relationships: number;
  readonly communities: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface EntityChange {
  readonly name?: string;
  readonly category?: string | null;
  readonly description?: string;
  readonly metadata?: Metadata;
}

export interface RelationshipChange {
  readonly subjectId?: string;
  readonly subject?: string;
  readonly predicate?: string;
  readonly objectId?: string;
  readonly object?: string;
  readonly description?: string;
  readonly weight?: number;
  readonly metadata?: Metadata;
}

export type NewCommunity = Omit<StoredCommunity, 'id' | 'collectionId' | 'origin' | 'createdAt' | 'updatedAt'>;

type With<T, K extends keyof T> = T & { readonly [P in K]-?: Exclude<T[P], undefined> };
export type NewEntity = With<EntityChange, 'name'>;
export type NewRelationship = With<RelationshipChange, 'subjectId' | 'predicate' | 'objectId'>;

export interface PullOptions {
  readonly force: boolean;
  readonly signal?: AbortSignal;
}

export interface PullOutcome {
  /** Number of documents that added to the graph. */
  readonly documents: number;
}

/** Record store of collection graphs and document graphs. */
export interface GraphRecords {
  entities(parent: GraphParent, page: Page): Promise<Paged<StoredEntity>>;
  relationships(parent: GraphParent, query: RelationshipQuery): Promise<Paged<StoredRelationship>>;
  entity(parent: GraphParent, id: string): Promise<StoredEntity | undefined>;
  relationship(parent: GraphParent, id: string): Promise<StoredRelationship | undefined>;

  /** Undefined when there is no such collection. Every collection has a graph from the start. */
  graph(collectionId: string): Promise<CollectionGraph | undefined>;
  describeGraph(collectionId: string, change: { readonly name?: string; readonly description?: string }): Promise<void>;
  /**
   * Merges the graphs of the collection's documents, including removed ones, in one transaction per document, and
   * reports progress after each. Without `force`, only documents that have not been pulled yet. Cancelling keeps what
   * was merged so far.
   */
  pullInSteps(collectionId: string, options: PullOptions): AsyncGenerator<Progress, PullOutcome>;
  /** Like `pullInSteps`, without progress. */
  pull(collectionId: string, options: PullOptions): Promise<PullOutcome>;
  /** Removes the document's contribution until the next pull. False when there was none. */
  removeDocument(collectionId: string, documentId: string): Promise<boolean>;
  /**
   * Empties the graph, including manual entries; extracted entries come back with the next pull. The graph is empty for
   * every reader from the first transaction on. The rows are then deleted in short transactions, with progress after
   * each; cancelling leaves the rest to the background.
   */
  resetInSteps(collectionId: string, signal: AbortSignal): AsyncGenerator<Progress, void>;
  /** Like `resetInSteps`, without progress. */
  reset(collectionId: string): Promise<void>;
  /** The most mentioned entities first. Edges are those between the nodes shown. */
  outline(collectionId: string, page: { readonly nodes: Page; readonly edges: number }): Promise<GraphOutline>;

  createEntity(collectionId: string, entity: NewEntity): Promise<StoredEntity>;
  changeEntity(collectionId: string, id: string, change: EntityChange): Promise<StoredEntity | undefined>;
  removeEntity(collectionId: string, id: string): Promise<boolean>;
  /** Throws `not_found` when an end is not an entity of this graph. */
  createRelationship(collectionId: string, relationship: NewRelationship): Promise<StoredRelationship>;
  changeRelationship(
    collectionId: string,
    id: string,
    change: RelationshipChange,
  ): Promise<StoredRelationship | undefined>;
  removeRelationship(collectionId: string, id: string): Promise<boolean>;

  communities(collectionId: string, page: Page): Promise<Paged<StoredCommunity>>;
  community(collectionId: string, id: string): Promise<StoredCommunity | undefined>;
  createCommunity(collectionId: string, community: NewCommunity): Promise<StoredCommunity>;
  changeCommunity(
    collectionId: string,
    id: string,
    change: Partial<Omit<NewCommunity, 'memberIds' | 'level'>>,
  ): Promise<StoredCommunity | undefined>;
  removeCommunity(collectionId: string, id: string): Promise<boolean>;
  /** Replaces previously built communities; manually created ones stay. */
  replaceBuilt(collectionId: string, communities: readonly NewCommunity[]): Promise<void>;
}
