import type { Generated } from 'kysely';

export interface CollectionTable {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** GraphStatus, both columns */
  readonly graph_cluster_status: Generated<string>;
  readonly graph_sync_status: Generated<string>;
}

export interface CollectionMemberTable {
  readonly collection_id: string;
  readonly user_id: string;
  readonly created_at: string;
}

export interface DocumentCollectionTable {
  readonly document_key: number;
  readonly collection_id: string;
}

/** The tables of collections, with their documents and members. */
export interface CollectionTables {
  readonly document_collections: DocumentCollectionTable;
  readonly collections: CollectionTable;
  readonly collection_members: CollectionMemberTable;
}
