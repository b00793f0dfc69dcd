import { z } from 'zod';
import type {
  CollectionGraph,
  GraphOutline,
  StoredCommunity,
  StoredEntity,
  StoredRelationship,
} from '../../store/graph-records.ts';
import type { Collection } from '../../store/records.ts';
import { id, ids, metadata, timestamp, vector } from './record-parts.ts';

const status = z.enum(['pending', 'processing', 'outdated', 'success', 'failed']);

const origin = z.enum(['extracted', 'made']);

const text = z.string();

export const graphRecord = z
  .object({
    id,
    collection_id: id,
    name: text,
    description: text.nullable(),
    status,
    cluster_status: status,
    document_ids: ids,
    entity_count: z.int(),
    relationship_count: z.int(),
    community_count: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Graph' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toGraphRecord>]: unknown }>;

const graphRowMembers = {
  chunk_ids: ids.describe('Chunks that mention it.'),
  parent_id: id,
  metadata,
  description_embedding: vector,
  mentions: z.int(),
  origin,
  created_at: timestamp,
  updated_at: timestamp,
};

export const entityRecord = z
  .object({ id, name: text, description: text, category: text.nullable(), ...graphRowMembers })
  .meta({ id: 'Entity' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toEntityRecord>]: unknown }>;

export const relationshipRecord = z
  .object({
    id,
    subject: text,
    predicate: text,
    object: text,
    description: text,
    subject_id: id,
    object_id: id,
    weight: z.number(),
    ...graphRowMembers,
  })
  .meta({ id: 'Relationship' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toRelationshipRecord>]: unknown;
}>;

export const communityRecord = z
  .object({
    id,
    community_id: id,
    collection_id: id,
    name: text,
    summary: text,
    findings: z.array(text),
    rating: z.number(),
    rating_explanation: text,
    level: z.int(),
    attributes: metadata,
    entity_ids: ids.describe('Most central first.'),
    description_embedding: vector,
    origin,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Community' }) satisfies z.ZodType<ReturnType<typeof toCommunityRecord>>;

/** Addition: a graph prepared for drawing. */
export const graphView = z
  .object({
    collection_id: id,
    offset: z.int(),
    limit: z.int(),
    nodes: z.array(
      z.object({
        id,
        label: text,
        category: text.nullable(),
        description: text,
        mentions: z.int(),
        weight: z.number(),
        community: id.nullable(),
      }),
    ),
    edges: z.array(z.object({ id, source: id, target: id, label: text, description: text, weight: z.number() })),
    communities: z.array(z.object({ id, label: text, level: z.int(), rating: z.number(), size: z.int() })),
    total_nodes: z.int(),
    total_edges: z.int(),
  })
  .meta({ id: 'GraphView' }) satisfies z.ZodType<ReturnType<typeof toGraphView>>;

// docs/contract.md 11. `origin`, `mentions` and the counts of a graph's rows are additions.

export function toGraphRecord(graph: CollectionGraph, { graphSyncStatus, graphClusterStatus }: Collection) {
  return {
    id: graph.collectionId,
    collection_id: graph.collectionId,
    name: graph.name,
    description: graph.description,
    status: graphSyncStatus,
    cluster_status: graphClusterStatus,
    document_ids: graph.documentIds,
    entity_count: graph.entities,
    relationship_count: graph.relationships,
    community_count: graph.communities,
    created_at: graph.createdAt,
    updated_at: graph.updatedAt,
  };
}

export const toEntityRecord = (entity: StoredEntity, embedding: Float32Array | undefined) => ({
  id: entity.id,
  name: entity.name,
  description: entity.description,
  category: entity.category,
  metadata: entity.metadata,
  parent_id: entity.parentId,
  chunk_ids: entity.chunkIds,
  description_embedding: embedding === undefined ? null : Array.from(embedding),
  mentions: entity.mentions,
  origin: entity.origin,
  created_at: entity.createdAt,
  updated_at: entity.updatedAt,
});

export const toRelationshipRecord = (relationship: StoredRelationship, embedding: Float32Array | undefined) => ({
  id: relationship.id,
  subject: relationship.subject,
  predicate: relationship.predicate,
  object: relationship.object,
  description: relationship.description,
  subject_id: relationship.subjectId,
  object_id: relationship.objectId,
  weight: relationship.weight,
  chunk_ids: relationship.chunkIds,
  parent_id: relationship.parentId,
  metadata: relationship.metadata,
  description_embedding: embedding === undefined ? null : Array.from(embedding),
  mentions: relationship.mentions,
  origin: relationship.origin,
  created_at: relationship.createdAt,
  updated_at: relationship.updatedAt,
});

export const toCommunityRecord = (community: StoredCommunity, embedding: Float32Array | undefined) => ({
  id: community.id,
  community_id: community.id,
  collection_id: community.collectionId,
  name: community.name,
  summary: community.summary,
  findings: community.findings,
  rating: community.rating,
  rating_explanation: community.ratingExplanation,
  level: community.level,
  attributes: community.attributes,
  entity_ids: community.memberIds,
  description_embedding: embedding === undefined ? null : Array.from(embedding),
  origin: community.origin,
  created_at: community.createdAt,
  updated_at: community.updatedAt,
});

/** Addition: a graph for drawing, the most mentioned entities first. A node belongs to its finest community. */
export function toGraphView(outline: GraphOutline, communities: readonly StoredCommunity[]) {
  const communityOf = new Map<string, string>();
  for (const { id, memberIds } of communities.toSorted((one, two) => one.level - two.level)) {
    for (const member of memberIds) communityOf.set(member, id);
  }
  const degrees = new Map<string, number>();
  for (const { subjectId, objectId, weight } of outline.edges) {
    for (const end of [subjectId, objectId]) degrees.set(end, (degrees.get(end) ?? 0) + weight);
  }
  return {
    nodes: outline.nodes.map(({ id, name, category, description, mentions }) => ({
      id,
      label: name,
      category,
      description,
      mentions,
      weight: degrees.get(id) ?? 0,
      community: communityOf.get(id) ?? null,
    })),
    edges: outline.edges.map(({ id, subjectId, objectId, predicate, description, weight }) => ({
      id,
      source: subjectId,
      target: objectId,
      label: predicate,
      description,
      weight,
    })),
    communities: communities.map(({ id, name, level, rating, memberIds }) => ({
      id,
      label: name,
      level,
      rating,
      size: memberIds.length,
    })),
    total_nodes: outline.totalNodes,
    total_edges: outline.totalEdges,
  };
}
