import { ServiceError } from '../../errors.ts';
import type { ConnectorParts, SourceConnector } from '../../sources/connector.ts';
import type { Secrets } from '../../sources/fields.ts';
import { sourceKind } from '../../sources/kinds.ts';
import type { SourceLocation } from '../../store/followed-sources.ts';
import type { WebAccess } from '../../web/web.ts';

interface TrialParts extends Pick<ConnectorParts, 'mcp'> {
  readonly network?: ConnectorParts['network'] | undefined;
  readonly web?: WebAccess | undefined;
}

type RemoteLocation = Extract<SourceLocation, { kind: 'remote' }>;
type SiteLocation = Extract<SourceLocation, { kind: 'site' }>;

const CHANGE_TRIAL_MS = 60_000;
/** A new source that lists slowly is added untested: its first synchronisation has no such limit. */
const NEW_TRIAL_MS = 15_000;

/**
 * Checks that a source can be listed with changed settings and credentials. Throws the error that a synchronisation
 * would report; `unauthenticated` becomes `invalid_request`, because it would seem to concern the caller's own
 * credentials.
 */
export async function tryChange(
  location: RemoteLocation,
  secrets: Secrets,
  parts: TrialParts,
  closing: AbortSignal,
): Promise<void> {
  const late = AbortSignal.timeout(CHANGE_TRIAL_MS);
  const refused = refusal(
    'Nothing was changed because the source could not be listed',
    'To store the new settings and credentials without this check',
  );
  try {
    await listRemote(location, secrets, parts, AbortSignal.any([closing, late]));
  } catch (error) {
    if (late.aborted) {
      throw refused(
        new ServiceError('timeout', `The source did not answer within ${CHANGE_TRIAL_MS / 1000} s.`, { cause: error }),
      );
    }
    throw refused(error);
  }
}

/** Checks that a source to be added can be listed; of a site, that its first page can be read. Throws as above. */
export async function tryNewSource(
  location: SiteLocation | RemoteLocation,
  secrets: Secrets,
  parts: TrialParts,
  closing: AbortSignal,
): Promise<void> {
  const late = AbortSignal.timeout(NEW_TRIAL_MS);
  const signal = AbortSignal.any([closing, late]);
  try {
    if (location.kind === 'site') await visitSite(location, parts, signal);
    else await listRemote(location, secrets, parts, signal);
  } catch (error) {
    if (late.aborted && !closing.aborted) return;
    const place = location.kind === 'site' ? location.url : location.address;
    throw refusal(`${place} was not added because it could not be read`, 'To add it without this check')(error);
  }
}

async function listRemote(
  { type, settings }: RemoteLocation,
  secrets: Secrets,
  { network, mcp }: TrialParts,
  signal: AbortSignal,
): Promise<void> {
  if (network === undefined) throw withoutWeb();
  let connector: SourceConnector | undefined;
  try {
    connector = await sourceKind(type).open(settings as never, secrets as never, { network, mcp });
    for await (const _ of connector.list(undefined, signal)) break;
  } finally {
    await connector?.close?.().catch(() => undefined);
  }
}

async function visitSite({ url, walk: kind }: SiteLocation, { web }: TrialParts, signal: AbortSignal): Promise<void> {
  if (web === undefined) throw withoutWeb();
  const { crawledPages, sitemapPages } = await import('../../web/site-pages.ts');
  const walk = { ...web, signal, limit: 1 };
  if (kind === 'sitemap') {
    // A single page of a sitemap may be missing.
    for await (const _ of sitemapPages(url, walk)) break;
    return;
  }
  for await (const found of crawledPages(url, 0, walk)) if ('failure' in found) throw found.failure;
}

const withoutWeb = () => new ServiceError('not_configured', 'This service has no web access.');

const refusal = (outcome: string, otherwise: string) => (error: unknown) => {
  if (!(error instanceof ServiceError)) return error;
  const failedCheck = `${outcome}: ${error.message}`;
  return new ServiceError(
    error.code === 'unauthenticated' ? 'invalid_request' : error.code,
    `${failedCheck} ${otherwise}, set "check": false or use --no-check on the command line.`,
    { cause: error, failedCheck },
  );
};
