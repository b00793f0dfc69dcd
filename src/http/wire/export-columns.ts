import type { Document } from '../../documents/document.ts';
import type { StoredCommunity, StoredEntity, StoredRelationship } from '../../store/graph-records.ts';
import type { Collection, Conversation, StoredMessage } from '../../store/records.ts';
import type { User } from '../../store/user-records.ts';
import type { CsvValue } from '../csv.ts';
import { toSnakeCase } from './tolerant.ts';

/** Columns of an export, in their default order. */
export type ExportColumns<Row> = Readonly<Record<string, (row: Row) => CsvValue>>;

/** An exported user, with the collections they own or belong to. */
export type ExportedUser = User & { readonly collectionIds: readonly string[] };

// The columns of every export, docs/contract.md 6.3.

export const documentColumns: ExportColumns<Document> = members(
  'id',
  'collectionIds',
  'ownerId',
  'type',
  'metadata',
  'title',
  'summary',
  'version',
  'sizeInBytes',
  'ingestionStatus',
  'extractionStatus',
  'createdAt',
  'updatedAt',
  'totalTokens',
);

export const collectionColumns: ExportColumns<Collection> = members(
  'id',
  'ownerId',
  'name',
  'description',
  'graphSyncStatus',
  'graphClusterStatus',
  'createdAt',
  'updatedAt',
  'userCount',
  'documentCount',
);

export const conversationColumns: ExportColumns<Conversation> = members('id', 'userId', 'createdAt', 'name');

export const messageColumns: ExportColumns<StoredMessage> = {
  ...members('id', 'conversationId', 'parentId'),
  // R2R exports the whole message in this column.
  content: ({ role, content }) => ({ role, content }),
  ...members('metadata', 'createdAt'),
};

export const userColumns: ExportColumns<ExportedUser> = members(
  'id',
  'email',
  'isSuperuser',
  'isActive',
  'isVerified',
  'name',
  'bio',
  'collectionIds',
  'createdAt',
  'updatedAt',
);

export const entityColumns: ExportColumns<StoredEntity> = members(
  'id',
  'name',
  'category',
  'description',
  'parentId',
  'chunkIds',
  'metadata',
  'createdAt',
  'updatedAt',
);

export const relationshipColumns: ExportColumns<StoredRelationship> = members(
  'id',
  'subject',
  'predicate',
  'object',
  'description',
  'subjectId',
  'objectId',
  'weight',
  'chunkIds',
  'parentId',
  'metadata',
  'createdAt',
  'updatedAt',
);

export const communityColumns: ExportColumns<StoredCommunity> = {
  ...members('id', 'collectionId'),
  community_id: ({ id }) => id,
  ...members('level', 'name', 'summary', 'findings', 'rating', 'ratingExplanation', 'createdAt', 'updatedAt'),
  metadata: ({ attributes }) => attributes,
};

/** One column for each of these members of the row, named like it in snake_case. */
function members<Name extends string>(...names: readonly Name[]): ExportColumns<Readonly<Record<Name, CsvValue>>> {
  return Object.fromEntries(names.map((name) => [toSnakeCase(name), (row) => row[name]]));
}
