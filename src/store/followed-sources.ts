/** What is followed: a folder of this machine, pages of a site, or a source of another kind. */
export type SourceLocation =
  | { readonly kind: 'folder'; readonly path: string; readonly keepDeleted: boolean }
  | {
      readonly kind: 'site';
      readonly url: string;
      /** The pages of its sitemaps, or what its links lead to. */
      readonly walk: 'sitemap' | 'crawl';
      /** Links followed one after another; for `crawl`. */
      readonly depth: number;
      readonly limit: number;
    }
  | {
      readonly kind: 'remote';
      /** Name of its kind, such as `s3`. */
      readonly type: string;
      /** Shown, and what tells it from others. */
      readonly address: string;
      readonly settings: Readonly<Record<string, string | readonly string[] | number | boolean>>;
      readonly keepDeleted: boolean;
      /** Minutes between two synchronisations; null for none but those that are asked for. */
      readonly everyMinutes: number | null;
    };

/** What a synchronisation did; `endedAt` is null while it runs, and when a stop of the service interrupted it. */
export interface SyncReport {
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Numbers of files or pages by outcome. */
  readonly counts: Readonly<Record<string, number>>;
  /** The latest failures. */
  readonly failures: readonly SyncFailure[];
  /** Why the source cannot be followed, if so. */
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
  /** Sealed credentials, where there are any. */
  readonly credentials?: string | undefined;
}

/** What is known of an item of a source outside this machine. */
export interface SourceItem {
  readonly key: string;
  /** That was taken in, or cannot be; null for one that is to be read again. */
  readonly version: string | null;
  /** Source of its document. */
  readonly uri: string;
  /** The document of another source that has its content, so that it has none of its own; null without one. */
  readonly duplicateOf: string | null;
}

/** An item that could not be read or taken in, and is tried again although it does not change. */
export interface FailedItem {
  readonly key: string;
  /** What the listing said of it, as JSON: what it is read by when no listing names it again. */
  readonly item: string;
  readonly reason: string;
  readonly tries: number;
  /** Of the last try; ISO 8601, as the one below. */
  readonly triedAt: string;
  /** It is not tried earlier, unless a synchronisation is asked for. */
  readonly nextTryAt: string;
}

/** The followed sources of all users. */
export interface FollowedSourceRecords {
  /** Oldest first. */
  list(): Promise<readonly FollowedSource[]>;
  add(source: FollowedSource): Promise<void>;
  /** Keeps its items and its cursor. Does nothing for a source that was removed. */
  change(source: Pick<FollowedSource, 'id' | 'location' | 'collectionIds' | 'credentials'>): Promise<void>;
  /** Does nothing for a source that was removed. */
  saveReport(id: string, report: SyncReport): Promise<void>;
  /** Also forgets its items, and which of them failed. */
  remove(id: string): Promise<void>;
  cursorOf(id: string): Promise<string | undefined>;
  saveCursor(id: string, cursor: string | undefined): Promise<void>;
  /** Those of these keys that are known. */
  items(id: string, keys: readonly string[]): Promise<readonly SourceItem[]>;
  /** Adds or replaces items that this pass has seen. Does nothing for a source that was removed. */
  saveItems(id: string, pass: string, items: readonly SourceItem[]): Promise<void>;
  /** Items that were not seen in this pass, in order of key. */
  unseen(
    id: string,
    pass: string,
    query: { readonly after?: string; readonly limit: number },
  ): Promise<readonly SourceItem[]>;
  /** Whether any item is known. */
  hasItems(id: string): Promise<boolean>;
  /** Whether another source of the same owner has an item at this address, and so its document. */
  isOfOthers(id: string, uri: string): Promise<boolean>;
  /** Also forgets that they failed. */
  removeItems(id: string, keys: readonly string[]): Promise<void>;
  /** Those of these keys that failed. */
  failuresOf(id: string, keys: readonly string[]): Promise<readonly FailedItem[]>;
  /** Adds or replaces what is known of a failure. Does nothing for a source that was removed. */
  saveFailure(id: string, failure: FailedItem): Promise<void>;
  forgetFailures(id: string, keys: readonly string[]): Promise<void>;
  /** Failures that were last tried before a time, and are due at another, in order of key. */
  dueFailures(
    id: string,
    query: { readonly triedBefore: string; readonly dueAt?: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly FailedItem[]>;
  /** The failures that were tried last, and the number of all. */
  latestFailures(id: string, limit: number): Promise<{ readonly count: number; readonly items: readonly FailedItem[] }>;
  /**
   * Has the items of all sources whose content was in this document, which was removed or got other content, read again,
   * and says whether there are any.
   */
  releaseDuplicates(documentId: string): Promise<boolean>;
}
