import { ServiceError } from '../../errors.ts';
import type { ConnectorParts } from '../../sources/connector.ts';
import type { Secrets, SettingChanges } from '../../sources/fields.ts';
import { changeSettings, sourceKind } from '../../sources/kinds.ts';
import type { FollowedSource, SourceLocation } from '../../store/followed-sources.ts';

/** Changes to a followed source; absent members keep their value. */
export interface SourceChange {
  readonly keepDeleted?: boolean | undefined;
  /** For documents ingested from now on. May create collections: called when nothing else refuses the change. */
  readonly collectionIds?: (() => Promise<readonly string[]>) | undefined;
  /** For sites only, as are `depth` and `limit`. */
  readonly sitemap?: boolean | undefined;
  readonly depth?: number | undefined;
  readonly limit?: number | undefined;
  /** For remote sources only, as are `everyMinutes` and `credentials`. */
  readonly settings?: SettingChanges | undefined;
  readonly everyMinutes?: number | null | undefined;
  /** Replaces all credentials; an empty object removes them. */
  readonly credentials?: Secrets | undefined;
}

/** Applies a change to a location. Throws `invalid_request` for a field that cannot be changed. */
export function changedLocation(location: SourceLocation, change: SourceChange): SourceLocation {
  switch (location.kind) {
    case 'folder':
      return { ...location, keepDeleted: change.keepDeleted ?? location.keepDeleted };
    case 'site': {
      const isSitemap = change.sitemap ?? location.walk === 'sitemap';
      if (isSitemap && change.depth !== undefined) {
        throw new ServiceError('invalid_request', 'crawl_depth is for following links, and not for a sitemap.');
      }
      return {
        kind: 'site',
        url: location.url,
        limit: change.limit ?? location.limit,
        ...(isSitemap
          ? { walk: 'sitemap', depth: 0 }
          : { walk: 'crawl', depth: change.depth ?? (location.walk === 'crawl' ? location.depth : 1) }),
      };
    }
    case 'remote':
      return {
        ...location,
        ...(change.settings && { settings: changeSettings(sourceKind(location.type), location, change.settings) }),
        keepDeleted: change.keepDeleted ?? location.keepDeleted,
        everyMinutes: change.everyMinutes === undefined ? location.everyMinutes : change.everyMinutes,
      };
  }
}

/** Whether a change affects what is read or how, so that the source must be synchronised again. */
export const needsNewSync = (before: FollowedSource, after: FollowedSource): boolean =>
  before.credentials !== after.credentials || readingOf(before.location) !== readingOf(after.location);

function readingOf(location: SourceLocation): string {
  switch (location.kind) {
    case 'folder':
      return '';
    case 'site':
      return JSON.stringify([location.walk, location.depth, location.limit]);
    case 'remote':
      return JSON.stringify(Object.entries(location.settings).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** Throws `invalid_request` if the credentials do not suffice, without connecting to the source. */
export async function requireCredentials(
  { type, settings }: Extract<SourceLocation, { kind: 'remote' }>,
  secrets: Secrets,
  { network, mcp }: Pick<ConnectorParts, 'mcp'> & { readonly network?: ConnectorParts['network'] | undefined },
): Promise<void> {
  if (network === undefined) return;
  try {
    const connector = await sourceKind(type).open(settings as never, secrets as never, { network, mcp });
    await connector.close?.();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unauthenticated') throw error;
    throw new ServiceError('invalid_request', error.message, { cause: error });
  }
}
