import { z } from 'zod';
import type { ChangedDocuments } from '../../access/change-collection-documents.ts';
import { ServiceError } from '../../errors.ts';
import type { Collection } from '../../store/records.ts';
import { id, timestamp } from './record-parts.ts';
import { optional, snakeCased } from './tolerant.ts';

const graphStatus = z.enum(['pending', 'processing', 'outdated', 'success', 'failed']);

/** docs/contract.md 9. */
export const collectionRecord = z
  .object({
    id,
    owner_id: id,
    name: z.string(),
    description: z.string().nullable(),
    graph_cluster_status: graphStatus,
    graph_sync_status: graphStatus,
    created_at: timestamp,
    updated_at: timestamp,
    user_count: z.int(),
    document_count: z.int(),
  })
  .meta({ id: 'Collection' }) satisfies z.ZodType<ReturnType<typeof toCollectionRecord>>;

/** docs/contract.md 9. */
export function toCollectionRecord(collection: Collection) {
  return {
    id: collection.id,
    owner_id: collection.ownerId,
    name: collection.name,
    description: collection.description,
    graph_cluster_status: collection.graphClusterStatus,
    graph_sync_status: collection.graphSyncStatus,
    created_at: collection.createdAt,
    updated_at: collection.updatedAt,
    user_count: collection.userCount,
    document_count: collection.documentCount,
  };
}

const MAX_CHANGED = 1_000;

const listed = z.array(z.guid('This must be a UUID.').toLowerCase()).max(MAX_CHANGED).default([]);

/** Addition: documents to add to a collection and to remove from it. */
export const documentChanges = z
  .object({ add: listed.describe('Documents to add.'), remove: listed.describe('Documents to remove.') })
  .refine(({ add, remove }) => add.length + remove.length > 0, 'Name documents in "add" or "remove".');

export const changedDocuments = z
  .object({
    added: z.int(),
    removed: z.int(),
    unchanged: z
      .array(z.object({ document_id: id, code: z.enum(['not_found', 'forbidden', 'conflict']), message: z.string() }))
      .describe('The listed documents that were neither added nor removed, with the reasons.'),
  })
  .meta({ id: 'ChangedDocuments' }) satisfies z.ZodType<ReturnType<typeof toChangedDocuments>>;

export const toChangedDocuments = ({ added, removed, unchanged }: ChangedDocuments) => ({
  added,
  removed,
  unchanged: unchanged.map(({ documentId, code, message }) => ({ document_id: documentId, code, message })),
});

const name = z.string().trim().min(1).max(1_000);
const description = z.string().max(10_000);

/** `id` is an addition, so that migrated collections keep their ids. */
export const newCollection = z.object({
  id: optional(z.guid().toLowerCase()),
  name,
  description: optional(description),
});

/** A description is either provided or generated, not both (docs/contract.md 1.2). */
export const collectionChange = snakeCased(
  z.object({
    name: optional(name),
    description: optional(description),
    generate_description: optional(z.boolean()),
  }),
).transform(({ generate_description: generates = false, ...change }) => {
  if (!generates || change.description === undefined) return { ...change, generates };
  throw new ServiceError('invalid_request', 'Give a description or generate one, not both.');
});

/** Owner of a collection that is looked up by name. */
export const ownerQuery = z.object({ owner_id: optional(z.guid().toLowerCase()) });
