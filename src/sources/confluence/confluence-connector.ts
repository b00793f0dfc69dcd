import { ServiceError } from '../../errors.ts';
import { oneLine } from '../../shared/text.ts';
import type { Listed, RemoteItem, RemoteNetwork, SourceConnector } from '../connector.ts';
import { createJsonRequests, fileNameOf } from '../json-requests.ts';
import { confluenceCloud } from './confluence-cloud.ts';
import { confluenceDataCenter } from './confluence-data-center.ts';
import type { ListedFile, ListedPage, PageType, Space } from './confluence-edition.ts';
import { storageToMarkdown } from './storage-to-markdown.ts';

export interface ConfluenceSource {
  /** Base URL of the site's pages, without a trailing slash. */
  readonly site: string;
  readonly isCloud: boolean;
  /** Base of the document URIs. */
  readonly address: string;
  readonly spaces: readonly string[] | undefined;
  /** Whether to include attached images, audio and video. */
  readonly pictures: boolean;
  /** Value of the `Authorization` header; undefined for a public site. */
  readonly authorization: string | undefined;
  readonly network: RemoteNetwork;
}

/** Confluence's own limit is about five million characters. */
const MAX_PAGE_BYTES = 10_000_000;

const LOGIN_REASON = 'x-seraph-loginreason';

const TYPES: readonly PageType[] = ['page', 'blogpost'];

/** Every listing is complete: it takes one request per hundred pages and reveals deleted and archived pages. */
export function createConfluenceConnector(source: ConfluenceSource): SourceConnector {
  const { site, address, isCloud, spaces: keys, pictures, authorization, network } = source;
  const name = `Confluence at ${new URL(site).host}`;
  const requests = createJsonRequests({
    name,
    network,
    headers: async () => (authorization === undefined ? {} : { authorization }),
    // If anonymous access is allowed, Confluence answers wrong credentials with public content only, a partial view.
    isAnonymous: ({ headers }) =>
      authorization !== undefined && /^AUTHENTICAT(?:ED_FAILED|ION_DENIED)/.test(headers.get(LOGIN_REASON) ?? ''),
  });
  const edition = (isCloud ? confluenceCloud : confluenceDataCenter)(site, requests);

  async function* list(_cursor: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const spaces = await edition.spaces(keys, signal).catch((error: unknown) => {
      throw isNotFound(error) ? new ServiceError('invalid_request', `${name} is not there. Check its address.`) : error;
    });
    const missing = (keys ?? []).filter((key) => !spaces.some((space) => isSame(space.key, key)));
    const reason = 'There is no such space, or the account may not see it.';
    if (spaces.length === 0 && missing.length > 0) {
      throw new ServiceError('invalid_request', `${missing.join(', ')}: ${reason} The documents stay.`);
    }
    for (const key of missing) yield { kind: 'failed', key, reason };
    for (const space of spaces) {
      try {
        yield* listSpace(space, signal);
      } catch (error) {
        const isOfSpace = isNotFound(error) || (error instanceof ServiceError && error.code === 'forbidden');
        if (!isOfSpace || spaces.length === 1) throw error;
        yield { kind: 'failed', key: space.key, reason: error.message };
      }
    }
    yield { kind: 'end', covers: 'all' };
  }

  async function* listSpace(space: Space, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const pages = new Map<string, ListedPage>();
    for (const type of TYPES) {
      for await (const page of edition.pages(space, type, signal)) {
        if (pages.has(page.id)) continue;
        pages.set(page.id, page);
        yield pageItem(page, space);
      }
    }
    for await (const file of edition.files([...pages.values()], signal)) {
      if (isRead(file, pictures)) yield fileItem(file, space);
    }
  }

  const pageItem = ({ type, id, title, version, modified, link }: ListedPage, { key }: Space): RemoteItem => ({
    // The version includes the space, because moving a page to another space does not change its version number.
    kind: 'item',
    key: `${type}/${id}`,
    version: `${version} ${key}`,
    uri: `${address}/${type === 'page' ? 'pages' : 'blogposts'}/${encodeURIComponent(id)}`,
    fileName: fileNameOf(title, { id, extension: 'md' }),
    ...shared(title, modified, link),
    metadata: { space: key },
  });

  const fileItem = ({ id, title, version, size, modified, link }: ListedFile, { key }: Space): RemoteItem => ({
    kind: 'item',
    key: `attachment/${id}`,
    version: `${version} ${title}`,
    fileName: title,
    uri: `${address}/attachments/${encodeURIComponent(id)}`,
    ...(size !== undefined && { size }),
    ...shared(title, modified, link),
    metadata: { space: key },
  });

  return {
    list,
    async read({ key }, options) {
      const at = key.indexOf('/');
      const type = key.slice(0, at);
      const id = key.slice(at + 1);
      if (type === 'attachment') return edition.file(id, options);
      const { title, storage } = await edition.page(type === 'page' ? 'page' : 'blogpost', id, {
        signal: options.signal,
        maxBytes: Math.min(options.maxBytes, MAX_PAGE_BYTES),
      });
      const text = [`# ${oneLine(title)}`, storageToMarkdown(storage)].filter(Boolean).join('\n\n');
      return { bytes: new TextEncoder().encode(text), mediaType: 'text/markdown' };
    },
  };
}

const shared = (title: string, modified: string | undefined, link: string | undefined) => ({
  ...(oneLine(title) !== '' && { title: oneLine(title) }),
  ...(modified !== undefined && { modified }),
  ...(link !== undefined && { link }),
});

/** Media are read on request only. Files without an extension are internal data of macros. */
const isRead = ({ title, mediaType = '' }: ListedFile, pictures: boolean): boolean =>
  /\.\w+$/.test(title) && (pictures || !/^(?:image|audio|video)\//.test(mediaType));

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
const isNotFound = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'not_found';
