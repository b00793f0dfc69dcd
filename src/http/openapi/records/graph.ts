import { z } from 'zod';
import type {
  toCommunityRecord,
  toEntityRecord,
  toGraphRecord,
  toGraphView,
  toRelationshipRecord,
} from '../../wire/graph-record.ts';
import { id, ids, metadata, timestamp, vector } from './shared.ts';

// docs/contract.md 11.

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

const row = {
  chunk_ids: ids.describe('Where it stands.'),
  parent_id: id,
  metadata,
  description_embedding: vector,
  mentions: z.int(),
  origin,
  created_at: timestamp,
  updated_at: timestamp,
};

export const entityRecord = z
  .object({ id, name: text, description: text, category: text.nullable(), ...row })
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
    ...row,
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
    entity_ids: ids.describe('The most central first.'),
    description_embedding: vector,
    origin,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Community' }) satisfies z.ZodType<ReturnType<typeof toCommunityRecord>>;

/** Addition of Citewell: a graph prepared for drawing. */
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

/** The outcome of a pull. */
export const pulled = z.object({ success: z.boolean(), documents: z.int() });

/** An extraction that was done, queued, or only estimated. */
export const extraction = z
  .object({
    message: text,
    task_id: z.null(),
    documents: z.int().exactOptional(),
    entities: z.int().exactOptional(),
    relationships: z.int().exactOptional(),
    estimate: z
      .object({
        model: text,
        documents: z.int(),
        chunks: z.int(),
        calls: z.int(),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_usd: z.number().nullable(),
      })
      .exactOptional(),
  })
  .meta({ id: 'Extraction' });
