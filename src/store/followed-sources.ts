/** What is followed: a local folder, the pages of a site, or a source of another kind. */
export type SourceLocation =
  | { readonly kind: 'folder'; readonly path: string; readonly keepDeleted: boolean }
  | {
      readonly kind: 'site';
      readonly url: string;
      /** Whether pages are found through sitemaps or by following links. */
      readonly walk: 'sitemap' | 'crawl';
      /** Maximum number of links from the start page to a page; for `crawl`. */
      readonly depth: number;
      readonly limit: number;
    }
  | {
      readonly kind: 'remote';
      /** Name of its kind, such as `s3`. */
      readonly type: string;
      /** Shown to users; identifies the source among others of its type. */
      readonly address: string;
      readonly settings: Readonly<Record<string, string | readonly string[] | number | boolean>>;
      readonly keepDeleted: boolean;
      /** Minutes between two synchronisations; null to synchronise only on request. */
      readonly everyMinutes: number | null;
    };

/** Outcome of a synchronisation; `endedAt` is null while it runs, and if stopping the service interrupted it. */
export interface SyncReport {
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Numbers of files or pages by outcome. */
  readonly counts: Readonly<Record<string, number>>;
  /** The latest failures, then the latest skipped items. */
  readonly failures: readonly SyncFailure[];
  /** Why the source cannot be followed; absent if it can. */
  readonly problem?: string;
}

export interface SyncFailure {
  /** Path or address. */
  readonly name: string;
  readonly reason: string;
  readonly documentId: string | null;
}

/** A source whose documents are kept in step with it. */
export interface FollowedSource {
  readonly id: string;
  readonly ownerId: string;
  readonly location: SourceLocation;
  /** Empty means the owner's default collection. */
  readonly collectionIds: readonly string[];
  readonly createdAt: string;
  readonly lastSync: SyncReport | null;
  /** Encrypted credentials, if there are any. */
  readonly credentials?: string | undefined;
}

/** The stored state of an item of a remote source. */
export interface SourceItem {
  readonly key: string;
  /** Version that was last ingested or found impossible to ingest; null if the item must be read again. */
  readonly version: string | null;
  /** The document's source URL. */
  readonly uri: string;
  /** The document of another source with the same content, which stands for this item; null if there is none. */
  readonly duplicateOf: string | null;
}

/** An item that could not be read or ingested, and is retried even if it does not change. */
export interface FailedItem {
  readonly key: string;
  /** The item's listing entry as JSON, for reading it again when no later listing names it. */
  readonly item: string;
  readonly reason: string;
  readonly tries: number;
  /** Time of the last try; ISO 8601, like `nextTryAt`. */
  readonly triedAt: string;
  /** Earliest time of the next try; a requested synchronisation ignores it. */
  readonly nextTryAt: string;
}

/** The known items of remote sources. */
export interface SourceItemRecords {
  /** Those of these keys that are known. */
  items(id: string, keys: readonly string[]): Promise<readonly SourceItem[]>;
  /** Adds or replaces items and marks them as seen in this pass. Does nothing if the source was removed. */
  saveItems(id: string, pass: string, items: readonly SourceItem[]): Promise<void>;
  /** Items not seen in this pass, ordered by key. */
  unseen(
    id: string,
    pass: string,
    query: { readonly after?: string; readonly limit: number },
  ): Promise<readonly SourceItem[]>;
  /** Whether any item is known. */
  hasItems(id: string): Promise<boolean>;
  /** Whether another source of the same owner has an item with this URI, and therefore shares its document. */
  isOfOthers(id: string, uri: string): Promise<boolean>;
  /** Also deletes their failures. */
  removeItems(id: string, keys: readonly string[]): Promise<void>;
  /**
   * Called when this document was removed or its content changed: schedules all items that are its duplicates to be
   * read again. Returns whether there are any.
   */
  releaseDuplicates(documentId: string): Promise<boolean>;
}

/** The items of remote sources that could not be read or ingested. */
export interface SourceFailureRecords {
  /** Those of these keys that failed. */
  failuresOf(id: string, keys: readonly string[]): Promise<readonly FailedItem[]>;
  /** Adds or replaces a failure. Does nothing if the source was removed. */
  saveFailure(id: string, failure: FailedItem): Promise<void>;
  forgetFailures(id: string, keys: readonly string[]): Promise<void>;
  /** Failures last tried before `triedBefore` and due by `dueAt`, if given; ordered by key. */
  dueFailures(
    id: string,
    query: { readonly triedBefore: string; readonly dueAt?: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly FailedItem[]>;
  /** The most recently tried failures, and the total number of failures. */
  latestFailures(id: string, limit: number): Promise<{ readonly count: number; readonly items: readonly FailedItem[] }>;
}

/** The followed sources of all users, with their items and failures. */
export interface FollowedSourceRecords extends SourceItemRecords, SourceFailureRecords {
  /** Oldest first. */
  list(): Promise<readonly FollowedSource[]>;
  add(source: FollowedSource): Promise<void>;
  /** Keeps the items and cursor of the source. Does nothing if the source was removed. */
  change(source: Pick<FollowedSource, 'id' | 'location' | 'collectionIds' | 'credentials'>): Promise<void>;
  /** Does nothing if the source was removed. */
  saveReport(id: string, report: SyncReport): Promise<void>;
  /** Also deletes its items and their failures. */
  remove(id: string): Promise<void>;
  cursorOf(id: string): Promise<string | undefined>;
  saveCursor(id: string, cursor: string | undefined): Promise<void>;
}
