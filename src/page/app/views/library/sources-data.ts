import { call, callList } from '../../api/request.ts';

/** A watched folder, or a site whose pages were added. */
export interface FollowedSource {
  readonly id: string;
  readonly kind: 'folder' | 'site';
  readonly location: string;
  readonly max_pages: number | null;
  readonly state: 'syncing' | 'following' | 'idle' | 'stopped';
  readonly problem: string | null;
  readonly total: number | null;
  readonly last_sync: {
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly done: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly failures: readonly SourceFailure[];
    readonly is_limit_reached: boolean;
  } | null;
}

export interface SourceFailure {
  readonly name: string;
  readonly reason: string;
  readonly document_id: string | null;
}

export type NewSource =
  | { readonly kind: 'folder'; readonly path: string; readonly keep_deleted: boolean }
  | {
      readonly kind: 'site';
      readonly url: string;
      readonly sitemap: boolean;
      readonly crawl_depth: number;
      readonly max_pages: number;
    };

export const loadSources = async (signal: AbortSignal): Promise<readonly FollowedSource[]> =>
  (await callList<FollowedSource>('/v3/sources', { query: { limit: 1000 }, signal })).items;

/** Adds a source; its documents get into the collection, or into the default one. */
export const addSource = (source: NewSource, collectionId: string | undefined): Promise<FollowedSource> =>
  call<FollowedSource>('/v3/sources', {
    method: 'POST',
    body: { ...source, ...(collectionId !== undefined && { collections: [collectionId] }) },
  });

export const syncSource = (id: string): Promise<unknown> => call(`/v3/sources/${id}/sync`, { method: 'POST' });
export const removeSource = (id: string): Promise<unknown> => call(`/v3/sources/${id}`, { method: 'DELETE' });

/** Folders below which others may be watched; for superusers. */
export async function loadAllowedFolders(signal: AbortSignal): Promise<readonly string[]> {
  const { config } = await call<{ readonly config: { readonly ingestion?: { readonly allowed_folders?: string[] } } }>(
    '/v3/system/settings',
    { signal },
  );
  return config.ingestion?.allowed_folders ?? [];
}

/** The address, with https:// where no scheme is written. */
export function readAddress(text: string): string | undefined {
  const typed = text.trim();
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(typed) && !/^[^/]+:\d+(\/|$)/.test(typed) ? typed : `https://${typed}`,
  );
  return url !== null && /^https?:$/.test(url.protocol) && /[.:]|^localhost$/.test(url.hostname) ? url.href : undefined;
}
