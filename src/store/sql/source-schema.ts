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
  /** Encrypted; null if the source needs none. */
  readonly credentials: string | null;
  /** The cursor at which the next listing of changes begins; null requests a full listing. */
  readonly list_cursor: string | null;
}

/** The stored state of an item of a remote source. */
export interface SourceItemTable {
  readonly source_id: string;
  readonly item_key: string;
  /** The version that was ingested or found impossible to ingest; null if the item is to be read again. */
  readonly version: string | null;
  readonly uri: string;
  /** The listing in which the item was last seen. */
  readonly pass: string;
  /** The existing document with the same content; null if the item has its own. */
  readonly duplicate_of: string | null;
}

/** An item of a remote source that could not be ingested. */
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
