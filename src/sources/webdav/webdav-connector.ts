import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { Listed, RemoteItem, RemoteNetwork, SourceConnector } from '../connector.ts';
import { mediaTypeOf, readBytes, refusal } from '../http-answers.ts';
import { matchesPattern } from '../path-patterns.ts';
import { withRetries } from '../with-retries.ts';
import { withinTime } from '../within-time.ts';
import { type DavEntry, type Multistatus, readMultistatus } from './read-multistatus.ts';

export interface WebdavSource {
  readonly address: string;
  /** Ends with a slash. */
  readonly folder: URL;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly network: RemoteNetwork;
}

/** Maximum bytes of one folder's listing; 10,000 entries take about 10 MB. */
const MAX_ANSWER = 100_000_000;
const ANSWER_TIMEOUT_MS = 120_000;
const READ_TIMEOUT_MS = 600_000;
const MAX_REDIRECTS = 5;
/** Deeper folders are most likely a link cycle. */
const MAX_DEPTH = 50;
const MAX_FOLDERS = 200_000;
const GONE = new Set([404, 410]);
const GENERIC = new Set(['application/octet-stream', 'binary/octet-stream']);
const QUESTION =
  '<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop>' +
  '<d:resourcetype/><d:getetag/><d:getcontentlength/><d:getlastmodified/><oc:fileid/></d:prop></d:propfind>';

/** Walks the tree with one PROPFIND of depth 1 per folder, because many servers refuse infinite depth. */
export function createWebdavConnector(source: WebdavSource): SourceConnector {
  const { address, folder, include, exclude, user, password, network } = source;
  const name = folder.host + folder.pathname.replace(/\/$/, '');
  const authorization =
    password === undefined ? undefined : `Basic ${Buffer.from(`${user ?? ''}:${password}`).toString('base64')}`;
  const root = folder.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);

  /** Follows redirects, but sends the credentials only to the configured host. */
  async function send(url: URL, init: RequestInit, headers: Record<string, string> = {}): Promise<Response> {
    let at = url;
    for (let redirects = 0; ; redirects++) {
      const isOwn = at.host === folder.host && (at.protocol === 'https:' || folder.protocol === 'http:');
      if (!isOwn && init.method === 'PROPFIND') {
        throw new ServiceError(
          'invalid_request',
          `${name} leads to ${at.origin}. Follow the folder by its present address.`,
        );
      }
      const response = await network.fetch(at.href, {
        ...init,
        redirect: 'manual',
        headers: { ...headers, ...(isOwn && authorization !== undefined && { authorization }) },
      });
      const location = response.headers.get('location');
      const target = location === null ? null : URL.parse(location, at.href);
      if (response.status < 300 || response.status >= 400 || target === null || redirects === MAX_REDIRECTS)
        return response;
      await response.body?.cancel();
      at = target;
    }
  }

  const urlOf = (path: string, isFolder: boolean): URL => {
    const url = new URL(folder);
    const parts = path === '' ? [] : path.split('/').map(encodeURIComponent);
    url.pathname = `${folder.pathname}${parts.join('/')}${isFolder && path !== '' ? '/' : ''}`;
    return url;
  };

  const listFolder = (path: string, signal: AbortSignal): Promise<Multistatus> =>
    withinTime({ name, ms: ANSWER_TIMEOUT_MS, signal }, async (limited) => {
      const response = await send(
        urlOf(path, true),
        { method: 'PROPFIND', body: QUESTION, signal: limited },
        { depth: '1', 'content-type': 'application/xml; charset=utf-8' },
      );
      if (response.status === 207) {
        return readMultistatus(new TextDecoder().decode(await readBytes(response, MAX_ANSWER)), name);
      }
      throw await refused(response, path === '' ? name : `${name}/${path}`, path === '');
    });

  /** The entry of the requested folder itself. */
  function ownEntry(entries: readonly DavEntry[], path: string): DavEntry {
    const requestedPath = [...root, ...(path === '' ? [] : path.split('/'))];
    const readable = entries.filter(({ refused }) => refused === undefined);
    const own = readable.find((entry) => isSame(entry.path, requestedPath)) ?? movedEntry(readable, path);
    if (own === undefined) throw new ServiceError('provider_failed', `${name} answered without the folder itself.`);
    if (!own.isFolder) throw new ServiceError('invalid_request', `${name} is a file. Follow the folder that it is in.`);
    return own;
  }

  /** The folder's entries with their paths relative to the source. */
  function* children({ entries }: Multistatus, path: string): Generator<readonly [string, DavEntry], void> {
    const own = ownEntry(entries, path);
    for (const entry of entries) {
      const child = entry.path.at(-1);
      const isChild = child !== undefined && isSame(entry.path.slice(0, -1), own.path);
      if (isChild) yield [path === '' ? child : `${path}/${child}`, entry];
      // Servers signal a truncated listing by an error status of the folder itself.
      else if (isSame(entry.path, own.path) && entry.refused !== undefined) yield [path, entry];
    }
  }

  const toItem = (path: string, { etag, size, modified, fileId }: DavEntry): RemoteItem => {
    const link = fileId === undefined ? undefined : pageOf(folder, fileId);
    return {
      kind: 'item',
      key: path,
      // Without any version information, use a unique value: the item is read each time and compared by content.
      version: etag || `${modified ?? ''} ${size ?? ''}`.trim() || `not said (${randomUUID()})`,
      uri: `${address}/${path.split('/').map(encodeURIComponent).join('/')}`,
      fileName: path.slice(path.lastIndexOf('/') + 1),
      ...(size !== undefined && { size }),
      ...(modified !== undefined && { modified }),
      ...(link !== undefined && { link }),
    };
  };

  async function* list(_cursor: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const waiting = [''];
    const known = new Set(waiting);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const at = path;
      let answer: Multistatus;
      try {
        answer = await withRetries(() => listFolder(at, signal), signal);
      } catch (error) {
        const isPart = error instanceof ServiceError && ['not_found', 'forbidden', 'conflict'].includes(error.code);
        if (at === '' || !isPart) throw error;
        yield { kind: 'failed', key: at, reason: error.message };
        continue;
      }
      for (const href of answer.unreadable) {
        yield { kind: 'failed', key: href.slice(0, 500), reason: 'Its address cannot be read as a path.' };
      }
      for (const [child, entry] of children(answer, at)) {
        if (exclude.some((pattern) => matchesPattern(child, pattern))) continue;
        if (entry.refused !== undefined) {
          if (GONE.has(entry.refused)) continue;
          yield { kind: 'failed', key: child || name, reason: `${name} answered with ${entry.refused} for it.` };
        } else if (!entry.isFolder) {
          if (include.length === 0 || include.some((pattern) => matchesPattern(child, pattern)))
            yield toItem(child, entry);
        } else if (child.split('/').length > MAX_DEPTH) {
          const reason = `It is more than ${MAX_DEPTH} folders deep, as when a folder leads to one above it.`;
          yield { kind: 'skipped', key: child.slice(0, 500), reason };
        } else if (!known.has(child)) {
          known.add(child);
          waiting.push(child);
        }
      }
      if (known.size > MAX_FOLDERS) {
        throw new ServiceError('too_large', `${name} has more than ${MAX_FOLDERS} folders. Follow a part of it.`);
      }
    }
    yield { kind: 'end', covers: 'all' };
  }

  return {
    list,
    read: ({ key }, { maxBytes, signal }) =>
      withinTime({ name, ms: READ_TIMEOUT_MS, signal }, async (limited) => {
        const response = await send(urlOf(key, false), { method: 'GET', signal: limited });
        if (response.status !== 200) throw await refused(response, `${name}/${key}`, false);
        const mediaType = mediaTypeOf(response);
        const isKnown = mediaType !== undefined && !GENERIC.has(mediaType);
        return { bytes: await readBytes(response, maxBytes), ...(isKnown && { mediaType }) };
      }),
  };
}

/**
 * A reverse proxy may have rewritten the paths; the requested folder is then the common ancestor of all entries. Its
 * name must match, so that a subfolder in a partial listing is not mistaken for it.
 */
function movedEntry(entries: readonly DavEntry[], path: string): DavEntry | undefined {
  const [first] = entries
    .filter(({ isFolder }) => isFolder)
    .toSorted((one, other) => one.path.length - other.path.length);
  const isAbove =
    first !== undefined && entries.every((entry) => isSame(entry.path.slice(0, first.path.length), first.path));
  const hasSameName = path === '' || plainName(first?.path.at(-1)) === plainName(path.split('/').at(-1));
  return isAbove && hasSameName ? first : undefined;
}

const plainName = (name: string | undefined): string | undefined => name?.normalize('NFC').toLowerCase();

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((part, index) => part === other[index]);

async function refused(response: Response, what: string, isWhole: boolean): Promise<ServiceError> {
  const answered = `${what} answered with ${response.status}`;
  const say = async (code: 'invalid_request' | 'conflict' | 'provider_failed', reason: string) => {
    await response.body?.cancel();
    return new ServiceError(code, `${answered}: ${reason}`);
  };
  switch (response.status) {
    case 423:
      return say('conflict', 'it is locked, as while somebody edits it.');
    case 507:
      return say('provider_failed', 'the server has no space left.');
    case 200:
    case 405:
    case 501:
      return say('invalid_request', 'it is not a folder of a WebDAV server. Check the address.');
    case 404:
      if (isWhole) return say('invalid_request', 'there is no such folder. Check the address, and the user in it.');
  }
  return refusal(response, what, { whole: isWhole });
}

/** The web page of a file in Nextcloud or ownCloud; undefined for other servers. */
function pageOf({ origin, pathname }: URL, fileId: string): string | undefined {
  const [, base] = /^(.*?)\/remote\.php\//.exec(pathname) ?? [];
  return base === undefined ? undefined : `${origin}${base}/index.php/f/${fileId}`;
}
