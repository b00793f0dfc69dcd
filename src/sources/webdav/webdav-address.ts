import { ServiceError } from '../../errors.ts';
import { percentDecoded } from '../../shared/text.ts';

interface Folder {
  readonly url: string;
  readonly user?: string | undefined;
}

/** Parses an address such as `davs://user@host/folder`. */
export function readWebdavAddress({ protocol, host, pathname, search, username }: URL): Folder {
  const scheme = protocol === 'dav:' || protocol === 'webdav:' ? 'http' : 'https';
  return {
    url: `${scheme}://${host}${pathname}${search}`,
    ...(username !== '' && { user: percentDecoded(username) }),
  };
}

/** The URL of the folder, and the address under which the source is displayed. Throws `invalid_request`. */
export function webdavAddress({ url, user }: Folder): { readonly address: string; readonly folder: URL } {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    const example = 'https://cloud.example.org/remote.php/dav/files/ann';
    throw new ServiceError('invalid_request', `url: expected an address such as ${example}, without credentials.`);
  }
  const folder = new URL(parsed.origin);
  const segments = pathOf(parsed, user)
    .split('/')
    .filter((part) => part !== '')
    .map(percentDecoded);
  if (segments.some((part) => part === '.' || part === '..' || part.includes('/'))) {
    throw new ServiceError('invalid_request', 'url: the path of the folder contains an invalid segment.');
  }
  folder.pathname = `/${segments.map((part) => `${encodeURIComponent(part)}/`).join('')}`;
  const scheme = parsed.protocol === 'http:' ? 'dav' : 'davs';
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  return { address: `${scheme}://${name}${folder.host}${folder.pathname.replace(/\/$/, '')}`, folder };
}

/** Maps the browser URL of a Nextcloud or ownCloud folder (own files or a public share) to its WebDAV path. */
function pathOf({ pathname, searchParams }: URL, user: string | undefined): string {
  const own = /^(.*?)(?:\/index\.php)?\/apps\/files(?:\/|$)/.exec(pathname);
  if (own !== null) {
    if (user === undefined) {
      throw new ServiceError(
        'invalid_request',
        'user: the files of Nextcloud or ownCloud need the name of their user.',
      );
    }
    const folder = (searchParams.get('dir') ?? '').split('/').map(encodeURIComponent).join('/');
    return `${own[1]}/remote.php/dav/files/${encodeURIComponent(user)}/${folder}`;
  }
  const share = /^(.*?)(?:\/index\.php)?\/s\/([A-Za-z0-9_-]+)\/?$/.exec(pathname);
  return share === null ? pathname : `${share[1]}/public.php/dav/files/${share[2]}`;
}
