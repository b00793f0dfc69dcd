export interface FollowedSourceTable {
  readonly id: string;
  readonly owner_id: string;
  /** SourceLocation */
  readonly location: string;
  /** string[] */
  readonly collection_ids: string;
  readonly created_at: string;
  /** SyncReport */
  readonly last_sync: string | null;
  /** Sealed. */
  readonly credentials: string | null;
  /** Where the next listing of changes begins. */
  readonly list_cursor: string | null;
}

/** What is known of an item of a source outside this machine. */
export interface SourceItemTable {
  readonly source_id: string;
  readonly item_key: string;
  /** That was taken in, or cannot be; null for one that is to be read again. */
  readonly version: string | null;
  readonly uri: string;
  /** The listing that it was last seen in. */
  readonly pass: string;
  /** The document that has its content already. */
  readonly duplicate_of: string | null;
}

export interface SourceTables {
  readonly followed_sources: FollowedSourceTable;
  readonly source_items: SourceItemTable;
}
