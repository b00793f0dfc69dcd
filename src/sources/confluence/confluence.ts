import { ServiceError } from '../../errors.ts';
import { percentDecoded, withoutFinalSlashes } from '../../shared/text.ts';
import { defineSourceKind } from '../source-kind.ts';

/** Confluence spaces (pages, blog posts and attachments), in Atlassian's cloud or on a self-hosted server. */
export const confluenceKind = defineSourceKind({
  type: 'confluence',
  title: 'Confluence',
  schemes: ['confluence', 'confluence+http'],
  example: 'confluence://team.atlassian.net/wiki/spaces/ENG',
  fields: {
    site: {
      type: 'text',
      isRequired: true,
      example: 'https://team.atlassian.net/wiki',
      description: 'Base URL of Confluence, with its path if there is one.',
    },
    spaces: {
      type: 'list',
      isFixed: true,
      description: 'Keys of the spaces to follow (default: all spaces visible to the account except personal ones).',
      example: 'ENG',
    },
    email: {
      type: 'text',
      example: 'ann@example.org',
      description: 'For Atlassian’s cloud: e-mail address of the account that owns the token.',
    },
    pictures: {
      type: 'flag',
      description: 'Also read attached pictures and recordings, if this service is configured for them.',
    },
  },
  secrets: {
    token: {
      description: 'API token for Atlassian’s cloud, otherwise a personal access token; none for a public site.',
      variable: 'CITEWELL_SOURCE_TOKEN',
    },
  },
  readAddress(url) {
    const [, path = '', keys = ''] = /^(.*?)(?:\/(?:spaces|display)\/([^/]+).*)?$/.exec(url.pathname) ?? [];
    const host = url.host.toLowerCase();
    const spaces = percentDecoded(keys).split(',').filter(Boolean);
    return {
      site: siteOf(`${url.protocol === 'confluence+http:' ? 'http' : 'https'}://${host}${path}`),
      ...(spaces.length > 0 && { spaces }),
      ...(url.username !== '' && { email: percentDecoded(url.username) }),
    };
  },
  addressOf({ site, spaces = [] }) {
    const base = baseAddress(siteOf(site));
    return spaces.length === 0 ? base : `${base}/spaces/${spaces.map(encodeURIComponent).join(',')}`;
  },
  async open({ site: written, spaces, email, pictures = false }, { token }, { network }) {
    const site = siteOf(written);
    if ((email === undefined) !== (token === undefined) && isCloud({ site, email })) {
      throw new ServiceError(
        'unauthenticated',
        'Atlassian’s cloud needs both the setting email and an API token of that account.',
      );
    }
    const { createConfluenceConnector } = await import('./confluence-connector.ts');
    const address = baseAddress(site);
    return createConfluenceConnector({
      site,
      address,
      spaces,
      pictures,
      network,
      isCloud: isCloud({ site, email }),
      authorization: authorizationOf(email, token),
    });
  },
});

/** Normalises the site URL: no trailing slash, and `/wiki` appended for Atlassian's cloud. Throws `invalid_request`. */
function siteOf(written: string): string {
  const url = URL.parse(written);
  const hasMore = url === null || [url.username, url.password, url.search, url.hash].some((part) => part !== '');
  if (hasMore || !/^https?:$/.test(url.protocol)) {
    throw new ServiceError('invalid_request', 'site: expected an address such as https://team.atlassian.net/wiki.');
  }
  const site = withoutFinalSlashes(url.href);
  return url.pathname === '/' && isAtlassian(url.hostname) ? `${site}/wiki` : site;
}

const baseAddress = (site: string): string =>
  site.replace(/^https/, 'confluence').replace(/^http:/, 'confluence+http:');

/** Whether to use the cloud API; an e-mail address implies it, since only cloud accounts are identified by one. */
const isCloud = ({ site, email }: { readonly site: string; readonly email: string | undefined }): boolean =>
  email !== undefined || isAtlassian(new URL(site).hostname);

const isAtlassian = (host: string): boolean => /\.atlassian\.(?:net|com)$/.test(host);

function authorizationOf(email: string | undefined, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  return email === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`;
}
