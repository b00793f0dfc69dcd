import type { Document } from '../../documents/document.ts';
import type { StoredCommunity, StoredEntity, StoredRelationship } from '../../store/graph-records.ts';
import type { Collection, Conversation, StoredMessage } from '../../store/records.ts';
import type { User } from '../../store/user-records.ts';
import type { CsvValue } from '../csv.ts';

/** Columns of an export, in their default order. */
export type ExportColumns<Row> = Readonly<Record<string, (row: Row) => CsvValue>>;

/** An exported user, with the collections they own or belong to. */
export type ExportedUser = User & { readonly collectionIds: readonly string[] };

// The columns of every export, docs/contract.md 6.3.

export const documentColumns: ExportColumns<Document> = {
  id: ({ id }) => id,
  collection_ids: ({ collectionIds }) => collectionIds,
  owner_id: ({ ownerId }) => ownerId,
  type: ({ type }) => type,
  metadata: ({ metadata }) => metadata,
  title: ({ title }) => title,
  summary: ({ summary }) => summary,
  version: ({ version }) => version,
  size_in_bytes: ({ sizeInBytes }) => sizeInBytes,
  ingestion_status: ({ ingestionStatus }) => ingestionStatus,
  extraction_status: ({ extractionStatus }) => extractionStatus,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  total_tokens: ({ totalTokens }) => totalTokens,
};

export const collectionColumns: ExportColumns<Collection> = {
  id: ({ id }) => id,
  owner_id: ({ ownerId }) => ownerId,
  name: ({ name }) => name,
  description: ({ description }) => description,
  graph_sync_status: ({ graphSyncStatus }) => graphSyncStatus,
  graph_cluster_status: ({ graphClusterStatus }) => graphClusterStatus,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  user_count: ({ userCount }) => userCount,
  document_count: ({ documentCount }) => documentCount,
};

export const conversationColumns: ExportColumns<Conversation> = {
  id: ({ id }) => id,
  user_id: ({ userId }) => userId,
  created_at: ({ createdAt }) => createdAt,
  name: ({ name }) => name,
};

export const messageColumns: ExportColumns<StoredMessage> = {
  id: ({ id }) => id,
  conversation_id: ({ conversationId }) => conversationId,
  parent_id: ({ parentId }) => parentId,
  // R2R exports the whole message in this column.
  content: ({ role, content }) => ({ role, content }),
  metadata: ({ metadata }) => metadata,
  created_at: ({ createdAt }) => createdAt,
};

export const userColumns: ExportColumns<ExportedUser> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  is_superuser: ({ isSuperuser }) => isSuperuser,
  is_active: ({ isActive }) => isActive,
  is_verified: ({ isVerified }) => isVerified,
  name: ({ name }) => name,
  bio: ({ bio }) => bio,
  collection_ids: ({ collectionIds }) => collectionIds,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
};

export const entityColumns: ExportColumns<StoredEntity> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  category: ({ category }) => category,
  description: ({ description }) => description,
  parent_id: ({ parentId }) => parentId,
  chunk_ids: ({ chunkIds }) => chunkIds,
  metadata: ({ metadata }) => metadata,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
};

export const relationshipColumns: ExportColumns<StoredRelationship> = {
  id: ({ id }) => id,
  subject: ({ subject }) => subject,
  predicate: ({ predicate }) => predicate,
  object: ({ object }) => object,
  description: ({ description }) => description,
  subject_id: ({ subjectId }) => subjectId,
  object_id: ({ objectId }) => objectId,
  weight: ({ weight }) => weight,
  chunk_ids: ({ chunkIds }) => chunkIds,
  parent_id: ({ parentId }) => parentId,
  metadata: ({ metadata }) => metadata,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
};

export const communityColumns: ExportColumns<StoredCommunity> = {
  id: ({ id }) => id,
  collection_id: ({ collectionId }) => collectionId,
  community_id: ({ id }) => id,
  level: ({ level }) => level,
  name: ({ name }) => name,
  summary: ({ summary }) => summary,
  findings: ({ findings }) => findings,
  rating: ({ rating }) => rating,
  rating_explanation: ({ ratingExplanation }) => ratingExplanation,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  metadata: ({ attributes }) => attributes,
};
