import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { JsonRequests } from '../json-requests.ts';
import { withRetries } from '../with-retries.ts';
import type { ConfluenceEdition, ListedFile, ListedPage, PageType } from './confluence-edition.ts';

const PER_REQUEST = 250;
/** From this number of pages on, the attachments of the whole site are listed instead of those of each page. */
const MANY_PAGES = 250;
/** Types of spaces not followed by default: personal spaces and those that the product creates. */
const LEFT_OUT = new Set(['personal', 'xflow_sample_space', 'onboarding', 'system']);

const links = z.object({ next: z.string().optional(), base: z.string().optional() }).default({});
const listOf = <T extends z.ZodType>(each: T) => z.object({ results: z.array(each), _links: links });
const spaceRecord = z.object({ id: z.coerce.string(), key: z.string(), type: z.string().optional() });
const versionRecord = z.object({ number: z.int(), createdAt: z.string().optional() });
const pageRecord = z.object({
  id: z.coerce.string(),
  status: z.string().optional(),
  title: z.string(),
  version: versionRecord,
  body: z.object({ storage: z.object({ value: z.string() }).optional() }).optional(),
  _links: z.object({ webui: z.string().optional() }).default({}),
});
const fileRecord = z.object({
  id: z.string(),
  status: z.string().optional(),
  title: z.string(),
  version: versionRecord,
  mediaType: z.string().optional(),
  fileSize: z.number().optional(),
  pageId: z.coerce.string().optional(),
  blogPostId: z.coerce.string().optional(),
  webuiLink: z.string().optional(),
});

const PATHS: Readonly<Record<PageType, string>> = { page: 'pages', blogpost: 'blogposts' };

/** Atlassian's cloud, through version 2 of the REST API. Files can be downloaded through version 1 only. */
export function confluenceCloud(site: string, requests: JsonRequests): ConfluenceEdition {
  const api = `${site}/api/v2`;

  /** Yields the records of all pages of a cursor-paginated list. */
  async function* list<T extends z.ZodType>(
    path: string,
    parameters: Readonly<Record<string, string>>,
    { each, signal }: { readonly each: T; readonly signal: AbortSignal },
  ): AsyncGenerator<{ readonly record: z.output<T>; readonly base: string }, void> {
    const seen = new Set<string>();
    const schema = listOf(each);
    for (let cursor: string | undefined; ; ) {
      const url = new URL(`${api}/${path}`);
      for (const [name, value] of Object.entries({ ...parameters, limit: `${PER_REQUEST}` })) {
        url.searchParams.set(name, value);
      }
      if (cursor !== undefined) url.searchParams.set('cursor', cursor);
      const found = await withRetries(() => requests.json(url, schema, { signal }), signal);
      for (const record of found.results) yield { record, base: found._links.base ?? '' };
      if (found._links.next === undefined) return;
      cursor = URL.parse(found._links.next, site)?.searchParams.get('cursor') ?? undefined;
      if (cursor === undefined || seen.has(cursor)) {
        throw new ServiceError(
          'provider_failed',
          'Confluence sent a missing or repeated cursor for the next page of results.',
        );
      }
      seen.add(cursor);
    }
  }

  /** URL for the browser; it differs from the API host if requests go through Atlassian's API gateway. */
  const linkOf = (base: string, path: string | undefined): string | undefined => {
    const shown = new URL(site).hostname === 'api.atlassian.com' ? base : site;
    return path?.startsWith('/') !== true || !/^https?:\/\//.test(shown) ? undefined : `${shown}${path}`;
  };

  const toFile = (record: z.output<typeof fileRecord>, base: string): ListedFile => ({
    id: record.id,
    title: record.title,
    version: record.version.number,
    mediaType: record.mediaType,
    size: record.fileSize,
    modified: record.version.createdAt,
    link: linkOf(base, record.webuiLink),
  });

  return {
    async spaces(keys, signal) {
      const found: z.output<typeof spaceRecord>[] = [];
      const chosen = keys === undefined ? { status: 'current' } : { keys: keys.join(',') };
      for await (const { record } of list('spaces', chosen, { each: spaceRecord, signal })) found.push(record);
      return keys === undefined ? found.filter(({ type = '' }) => !LEFT_OUT.has(type)) : found;
    },

    async *pages(space, type, signal): AsyncGenerator<ListedPage, void> {
      const path = `spaces/${encodeURIComponent(space.id)}/${PATHS[type]}`;
      for await (const { record, base } of list(path, { status: 'current' }, { each: pageRecord, signal })) {
        const { id, title, version, status = 'current', _links } = record;
        if (status !== 'current') continue;
        yield {
          type,
          id,
          title,
          version: version.number,
          modified: version.createdAt,
          link: linkOf(base, _links.webui),
        };
      }
    },

    async *files(pages, signal): AsyncGenerator<ListedFile, void> {
      if (pages.length < MANY_PAGES) {
        for (const { type, id } of pages) {
          const path = `${PATHS[type]}/${encodeURIComponent(id)}/attachments`;
          try {
            for await (const { record, base } of list(path, { status: 'current' }, { each: fileRecord, signal })) {
              yield toFile(record, base);
            }
          } catch (error) {
            // The page was deleted in the meantime.
            if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
          }
        }
        return;
      }
      const wanted = new Set(pages.map(({ type, id }) => `${type} ${id}`));
      for await (const { record, base } of list('attachments', { status: 'current' }, { each: fileRecord, signal })) {
        const { pageId, blogPostId } = record;
        if (wanted.has(`page ${pageId}`) || wanted.has(`blogpost ${blogPostId}`)) yield toFile(record, base);
      }
    },

    async page(type, id, { maxBytes, signal }) {
      const url = new URL(`${api}/${PATHS[type]}/${encodeURIComponent(id)}?body-format=storage`);
      const found = await requests.json(url, pageRecord, { signal, maxBytes });
      if ((found.status ?? 'current') !== 'current') throw new ServiceError('not_found', 'The page is in the trash.');
      return { title: found.title, storage: found.body?.storage?.value ?? '' };
    },

    async file(id, options) {
      const { signal } = options;
      const found = await requests.json(new URL(`${api}/attachments/${encodeURIComponent(id)}`), fileRecord, {
        signal,
      });
      const holder = encodeURIComponent(found.pageId ?? found.blogPostId ?? '');
      const path = `content/${holder}/child/attachment/${encodeURIComponent(id)}/download`;
      return requests.file(new URL(`${site}/rest/api/${path}`), options);
    },
  };
}
