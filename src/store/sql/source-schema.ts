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

/** An item of a source outside this machine that could not be taken in. */
export interface SourceFailureTable {
  readonly source_id: string;
  readonly item_key: string;
  /** RemoteItem */
  readonly item: string;
  readonly reason: string;
  readonly tries: number;
  readonly tried_at: string;
  readonly next_try_at: string;
}

export interface SourceTables {
  readonly followed_sources: FollowedSourceTable;
  readonly source_items: SourceItemTable;
  readonly source_failures: SourceFailureTable;
}
