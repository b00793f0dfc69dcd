import { call, callList } from '../../api/request.ts';

/** A watched folder, a site whose pages were added, or a source of another kind. */
export interface FollowedSource {
  readonly id: string;
  /** `folder`, `site`, or the name of another kind, such as `s3`. */
  readonly kind: string;
  readonly location: string;
  readonly keep_deleted: boolean | null;
  readonly settings: Settings | null;
  readonly has_credentials: boolean | null;
  readonly every_minutes: number | null;
  readonly next_sync_at: string | null;
  readonly sitemap: boolean | null;
  readonly crawl_depth: number | null;
  readonly max_pages: number | null;
  readonly state: 'syncing' | 'following' | 'idle' | 'stopped';
  readonly problem: string | null;
  readonly total: number | null;
  /** Items listed so far, while a remote source is synchronised. */
  readonly listed: number | null;
  readonly last_sync: {
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly done: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly failures: readonly SourceFailure[];
    readonly is_limit_reached: boolean;
  } | null;
  /** Null for folders and sites. */
  readonly failed_items: { readonly count: number; readonly items: readonly FailedItem[] } | null;
}

export interface FailedItem {
  readonly name: string;
  readonly reason: string;
  readonly tries: number;
}

export interface SourceFailure {
  readonly name: string;
  readonly reason: string;
  readonly document_id: string | null;
}

export type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A kind of source besides folders and sites. */
export interface SourceKind {
  readonly kind: string;
  readonly title: string;
  readonly example: string;
  readonly fields: readonly KindField[];
}

export interface KindField {
  readonly name: string;
  readonly type: 'text' | 'list' | 'number' | 'flag' | 'credential';
  readonly description: string;
  readonly example: string | null;
  readonly is_required: boolean;
  readonly is_fixed: boolean;
  readonly is_long: boolean;
  readonly least: number | null;
  readonly most: number | null;
}

export interface RemoteSettings {
  readonly settings: Settings;
  readonly credentials: Readonly<Record<string, string>>;
  readonly keep_deleted: boolean;
  readonly every_minutes: number | null;
}

/** A change of a source; absent members are not changed. */
export type SourceChange = Partial<Omit<RemoteSettings, 'settings'>> & {
  readonly settings?: Readonly<Record<string, Settings[string] | null>>;
  readonly check?: boolean;
  readonly sitemap?: boolean;
  readonly crawl_depth?: number;
  readonly max_pages?: number;
};

export type NewSource =
  | ({ readonly kind: string; readonly check: boolean } & RemoteSettings)
  | { readonly kind: 'folder'; readonly path: string; readonly keep_deleted: boolean }
  | {
      readonly kind: 'site';
      readonly url: string;
      readonly sitemap: boolean;
      readonly crawl_depth: number;
      readonly max_pages: number;
      readonly check: boolean;
    };

export const loadSources = async (signal: AbortSignal): Promise<readonly FollowedSource[]> =>
  (await callList<FollowedSource>('/v3/sources', { query: { limit: 1000 }, signal })).items;

/** Adds a source, whose documents are added to the collection, or to the default one. */
export const addSource = (source: NewSource, collectionId: string | undefined): Promise<FollowedSource> =>
  call<FollowedSource>('/v3/sources', {
    method: 'POST',
    body: { ...source, ...(collectionId !== undefined && { collections: [collectionId] }) },
  });

export const loadKinds = async (signal: AbortSignal): Promise<readonly SourceKind[]> =>
  (await callList<SourceKind>('/v3/sources/kinds', { signal })).items;

export const changeSource = (id: string, change: SourceChange): Promise<FollowedSource> =>
  call<FollowedSource>(`/v3/sources/${id}`, { method: 'PATCH', body: change });

export const syncSource = (id: string): Promise<unknown> => call(`/v3/sources/${id}/sync`, { method: 'POST' });
export const removeSource = (id: string): Promise<unknown> => call(`/v3/sources/${id}`, { method: 'DELETE' });

/** What the listed failures of a synchronisation are. Skipped files are listed only if they have a reason. */
export function countFailures(listed: number, counts: Readonly<Record<string, number>>) {
  const { gone = 0, skipped = 0 } = counts;
  const failed = counts['failed'] ?? Math.max(0, listed - gone - skipped);
  return { failed, gone, skipped: Math.min(skipped, Math.max(0, listed - gone - failed)) };
}

/** Folders below which folders may be watched; readable by superusers. */
export async function loadAllowedFolders(signal: AbortSignal): Promise<readonly string[]> {
  const { config } = await call<{ readonly config: { readonly ingestion?: { readonly allowed_folders?: string[] } } }>(
    '/v3/system/settings',
    { signal },
  );
  return config.ingestion?.allowed_folders ?? [];
}

/** Parses a typed web address, adding https:// if there is no scheme; undefined if it is invalid. */
export function readAddress(text: string): string | undefined {
  const typed = text.trim();
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(typed) && !/^[^/]+:\d+(\/|$)/.test(typed) ? typed : `https://${typed}`,
  );
  return url !== null && /^https?:$/.test(url.protocol) && /[.:]|^localhost$/.test(url.hostname) ? url.href : undefined;
}
