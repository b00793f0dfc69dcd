import type { Metadata } from '../documents/document.ts';
import type { ExtractedGraph, GraphPassage } from '../graph/graph.ts';

import type { Page, Paged } from './corpus.ts';
import type { VectorSpaceName } from './vector-index.ts';

export type { Entity, ExtractedGraph, Mention, Relationship } from '../graph/graph.ts';

/** A published document whose passages are to be extracted. */
export interface ExtractionTask {
  readonly documentId: string;
  readonly title: string;
  /** Tells these passages from those of a later ingestion. */
  readonly generation: number;
  /** The extractor that was asked for; null for the usual one. */
  readonly requested: string | null;
  readonly passages: readonly GraphPassage[];
}

export interface ExtractionBacklog {
  /** Documents that wait, or are being worked on. */
  readonly waiting: number;
  /** Their chunks. */
  readonly chunks: number;
  readonly failed: number;
}

export interface Extraction {
  readonly extractor: string | null;
  readonly failure: string | null;
  readonly extractedAt: string | null;
  readonly entities: number;
  readonly relationships: number;
}

/**
 * What each document says. A published document whose extraction is pending is the queue: nothing else needs to be
 * kept for it to go on after the process was killed.
 */
export interface DocumentGraphRecords {
  /**
   * The next document to work on, which is then `processing`: those that were asked for first, then the smallest.
   * `asked` leaves those out that nobody asked for.
   */
  next(which?: 'all' | 'asked'): Promise<ExtractionTask | undefined>;
  /** What was being worked on waits again. */
  requeue(): Promise<void>;
  /** Has a document extracted anew, by this extractor or the usual one. What there is of it stays until then. */
  request(documentId: string, extractor: string | null): Promise<void>;
  /** False when the document was ingested again, changed or deleted meanwhile; it then waits again, or is gone. */
  save(task: ExtractionTask, extractor: string, graph: ExtractedGraph): Promise<boolean>;
  fail(task: ExtractionTask, reason: string): Promise<void>;
  /** Notes that what was extracted has been merged. Nothing happens where nothing is. */
  enriched(documentId: string): Promise<void>;
  /** Parts of a long extraction that were done before, by their number. */
  parts(task: ExtractionTask, extractor: string): Promise<ReadonlyMap<number, ExtractedGraph>>;
  keepPart(task: ExtractionTask, extractor: string, part: number, graph: ExtractedGraph): Promise<void>;
  backlog(): Promise<ExtractionBacklog>;
  /** True while documents are being taken in, which goes first. */
  isIngesting(): Promise<boolean>;
  extractionOf(documentId: string): Promise<Extraction | undefined>;
  /** The passages that an extraction of the document would read. */
  passagesOf(documentId: string): Promise<readonly GraphPassage[]>;
}

/** Names and their vectors in the space that is searched. */
export interface GraphNameRecords {
  /** Of the most mentioned names, those without a vector of this space; none when the corpus is searched with another. */
  bareNames(space: VectorSpaceName, most: number): Promise<readonly { readonly key: number; readonly name: string }[]>;
  keepVectors(
    space: VectorSpaceName,
    vectors: readonly { readonly key: number; readonly vector: Float32Array }[],
  ): Promise<void>;
}

/** `extracted` goes when nothing says it any longer; `made` was made or changed by hand, and stays. */
export type GraphOrigin = 'extracted' | 'made';

interface GraphRow {
  readonly id: string;
  /** The document or the collection it belongs to. */
  readonly parentId: string;
  readonly origin: GraphOrigin;
  readonly description: string;
  readonly metadata: Metadata;
  /** Chunks that say so, the first of many. */
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

export interface StoredCommunity {
  readonly id: string;
  readonly collectionId: string;
  readonly origin: GraphOrigin;
  readonly name: string;
  readonly summary: string;
  readonly findings: readonly string[];
  readonly rating: number;
  readonly ratingExplanation: string;
  readonly level: number;
  readonly attributes: Metadata;
  /** Entities of the graph, the most central first. */
  readonly memberIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface RelationshipQuery extends Page {
  /** With one of these at either end; empty means any. */
  readonly entityNames?: readonly string[];
  /** With one of these predicates; empty means any. */
  readonly predicates?: readonly string[];
}

/** Where entities and relationships belong. */
export type GraphParent =
  | { readonly kind: 'document'; readonly id: string }
  | { readonly kind: 'collection'; readonly id: string };

/** Names of a whole graph and how they hang together, for finding communities and for drawing. */
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
  /** Before the limits. */
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

export interface NewCommunity {
  readonly name: string;
  readonly summary: string;
  readonly findings: readonly string[];
  readonly rating: number;
  readonly ratingExplanation: string;
  readonly level: number;
  readonly attributes: Metadata;
  readonly memberIds: readonly string[];
}

type With<T, K extends keyof T> = T & { readonly [P in K]-?: Exclude<T[P], undefined> };
export type NewEntity = With<EntityChange, 'name'>;
export type NewRelationship = With<RelationshipChange, 'subjectId' | 'predicate' | 'objectId'>;

/** Graphs of collections, and what documents say, as records. */
export interface GraphRecords {
  entities(parent: GraphParent, page: Page): Promise<Paged<StoredEntity>>;
  relationships(parent: GraphParent, query: RelationshipQuery): Promise<Paged<StoredRelationship>>;
  entity(parent: GraphParent, id: string): Promise<StoredEntity | undefined>;
  relationship(parent: GraphParent, id: string): Promise<StoredRelationship | undefined>;

  /** Undefined when there is no such collection. A collection has its graph from the start. */
  graph(collectionId: string): Promise<CollectionGraph | undefined>;
  describeGraph(collectionId: string, change: { readonly name?: string; readonly description?: string }): Promise<void>;
  /** Gathers what the collection's documents say. Without `force` only of documents that were not gathered yet. */
  pull(collectionId: string, options: { readonly force: boolean }): Promise<{ readonly documents: number }>;
  /** What was gathered of the document goes. False when nothing was. */
  removeDocument(collectionId: string, documentId: string): Promise<boolean>;
  /** Empties the graph, what was made by hand too. */
  reset(collectionId: string): Promise<void>;
  /** The most mentioned first. Edges are those between the nodes shown. */
  outline(collectionId: string, page: { readonly nodes: Page; readonly edges: number }): Promise<GraphOutline>;

  createEntity(collectionId: string, entity: NewEntity): Promise<StoredEntity>;
  changeEntity(collectionId: string, id: string, change: EntityChange): Promise<StoredEntity | undefined>;
  removeEntity(collectionId: string, id: string): Promise<boolean>;
  /** Throws `not_found` when an end is no entity of this graph. */
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
  /** Takes the place of communities built before; those made by hand stay. */
  replaceBuilt(collectionId: string, communities: readonly NewCommunity[]): Promise<void>;
}
