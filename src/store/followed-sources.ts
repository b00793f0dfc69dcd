/** What is followed: a folder of this machine, or pages of a site. */
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
}

/** The followed sources of all users. */
export interface FollowedSourceRecords {
  /** Oldest first. */
  list(): Promise<readonly FollowedSource[]>;
  add(source: FollowedSource): Promise<void>;
  /** Does nothing for a source that was removed. */
  saveReport(id: string, report: SyncReport): Promise<void>;
  remove(id: string): Promise<void>;
}
