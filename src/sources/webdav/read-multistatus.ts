import { Parser } from 'htmlparser2';
import { ServiceError } from '../../errors.ts';

/** Properties of a file or folder as reported by the server. */
export interface DavEntry {
  /** Decoded path segments; the last one is the entry's own name. */
  readonly path: readonly string[];
  readonly isFolder: boolean;
  readonly etag: string;
  readonly size: number | undefined;
  /** ISO 8601. */
  readonly modified: string | undefined;
  /** Id from which Nextcloud and ownCloud build the link to its page. */
  readonly fileId: string | undefined;
  /** HTTP status if the server returned no properties; the entry may or may not exist. */
  readonly refused: number | undefined;
}

export interface Multistatus {
  readonly entries: readonly DavEntry[];
  /** Hrefs that cannot be parsed as a path. */
  readonly unreadable: readonly string[];
}

const MAX_DEPTH = 30;

/** Parses a PROPFIND response in streaming fashion. Throws `invalid_request` if it is not one. */
export function readMultistatus(xml: string, name: string): Multistatus {
  const entries: DavEntry[] = [];
  const unreadable: string[] = [];
  const path: string[] = [];
  let isComplete = false;
  let href = '';
  /** Status line of the whole response, and of the current `propstat`. */
  let responseStatus = '';
  let status = '';
  let found = new Map<string, string>();
  let own: Map<string, string> | undefined;
  const parser = new Parser(
    {
      onopentag(tag) {
        const local = localName(tag);
        path.push(local);
        if (path.length > MAX_DEPTH) throw notDav(name);
        if (local === 'response') [href, responseStatus, status, own] = ['', '', '', undefined];
        if (local === 'propstat') [status, found] = ['', new Map()];
        if (local === 'collection' && path.at(-2) === 'resourcetype') found.set('collection', 'yes');
      },
      ontext(text) {
        const local = path.at(-1) ?? '';
        if (local === 'href' && path.at(-2) === 'response') href += text;
        else if (local === 'status' && path.at(-2) === 'propstat') status += text;
        else if (local === 'status' && path.at(-2) === 'response') responseStatus += text;
        else if (path.at(-2) === 'prop') found.set(local, (found.get(local) ?? '') + text);
      },
      onclosetag() {
        const local = path.pop();
        // Properties that the server does not support are in a `propstat` with an error status.
        if (local === 'propstat' && isSuccess(statusOf(status))) own = new Map([...(own ?? []), ...found]);
        if (local === 'multistatus' && path.length === 0) isComplete = true;
        if (local !== 'response') return;
        const isRefused = own === undefined || (responseStatus !== '' && !isSuccess(statusOf(responseStatus)));
        const entry = toEntry(
          href.trim(),
          own ?? new Map(),
          isRefused ? statusOf(responseStatus || status) : undefined,
        );
        if (entry === undefined) unreadable.push(href.trim());
        else entries.push(entry);
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  // `end` closes all open elements, so check for truncation before calling it.
  const isWhole = isComplete;
  parser.end();
  if (!isWhole) throw notDav(name);
  return { entries, unreadable };
}

const statusOf = (line: string): number => Number(/^\s*HTTP\/\S+\s+(\d{3})/i.exec(line)?.[1] ?? 0);
const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const localName = (tag: string): string => tag.slice(tag.indexOf(':') + 1).toLowerCase();

function toEntry(href: string, found: ReadonlyMap<string, string>, refused: number | undefined): DavEntry | undefined {
  const path = pathOfHref(href);
  if (path === undefined) return undefined;
  const modified = new Date(found.get('getlastmodified')?.trim() ?? '');
  const size = found.get('getcontentlength')?.trim() ?? '';
  return {
    path,
    isFolder: found.has('collection'),
    etag: (found.get('getetag') ?? '').trim().replace(/^W\//, '').replaceAll('"', ''),
    size: /^\d+$/.test(size) ? Number(size) : undefined,
    modified: Number.isNaN(modified.getTime()) ? undefined : modified.toISOString(),
    fileId: /^\d+$/.exec(found.get('fileid')?.trim() ?? '')?.[0],
    refused,
  };
}

/** Splits an absolute URL or a path into decoded segments; undefined if some segment is invalid. */
export function pathOfHref(href: string): readonly string[] | undefined {
  try {
    const parts = href
      .replace(/^https?:\/\/[^/]*/i, '')
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    return parts.some((part) => part === '.' || part === '..' || part.includes('/')) ? undefined : parts;
  } catch {
    return undefined;
  }
}

const notDav = (name: string): ServiceError =>
  new ServiceError('invalid_request', `${name} did not answer as a WebDAV server. Check the address of the folder.`);
