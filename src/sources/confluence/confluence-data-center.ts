import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { JsonRequests } from '../json-requests.ts';
import { withRetries } from '../with-retries.ts';
import type { ConfluenceEdition, ListedFile, ListedPage, PageType, Space } from './confluence-edition.ts';

const PER_REQUEST = 100;

const links = z
  .object({ next: z.string().optional(), webui: z.string().optional(), download: z.string().optional() })
  .default({});
const listOf = <T extends z.ZodType>(each: T) => z.object({ results: z.array(each), _links: links });
const spaceRecord = z.object({ key: z.string() });
const fileRecord = z.object({
  id: z.coerce.string(),
  title: z.string(),
  version: z.object({ number: z.int(), when: z.string().optional() }),
  metadata: z.object({ mediaType: z.string().optional() }).optional(),
  extensions: z.object({ mediaType: z.string().optional(), fileSize: z.number().optional() }).optional(),
  _links: links,
});
const pageRecord = z.object({
  id: z.coerce.string(),
  status: z.string().optional(),
  title: z.string(),
  version: z.object({ number: z.int(), when: z.string().optional() }),
  children: z.object({ attachment: listOf(fileRecord).optional() }).optional(),
  _links: links,
});
const pageWithBody = pageRecord.extend({ body: z.object({ storage: z.object({ value: z.string() }) }) });

interface ListOptions<T extends z.ZodType> {
  readonly each: T;
  readonly signal: AbortSignal;
}

/** A self-hosted server (Data Center), through version 1 of the REST API. */
export function confluenceDataCenter(site: string, requests: JsonRequests): ConfluenceEdition {
  const api = `${site}/rest/api`;
  /** Attachments by page id, as included in the listing of pages; undefined if that list was incomplete. */
  const attached = new Map<string, readonly ListedFile[] | undefined>();

  /**
   * With offset pagination, a deletion during the listing shifts later entries forward, so that one is skipped. Lists
   * of more than one page are therefore read twice.
   */
  async function* listTwice<T extends z.ZodType>(
    path: string,
    parameters: Readonly<Record<string, string>>,
    options: ListOptions<T>,
  ): AsyncGenerator<z.output<T>, void> {
    for (let isAgain = false; ; isAgain = true) {
      let parts = 0;
      for await (const records of list(path, parameters, options)) {
        parts++;
        yield* records;
      }
      if (isAgain || parts < 2) return;
    }
  }

  async function* list<T extends z.ZodType>(
    path: string,
    parameters: Readonly<Record<string, string>>,
    { each, signal }: ListOptions<T>,
  ): AsyncGenerator<readonly z.output<T>[], void> {
    const schema = listOf(each);
    for (let start = 0; ; ) {
      const url = new URL(`${api}/${path}`);
      for (const [name, value] of Object.entries({ ...parameters, start: `${start}`, limit: `${PER_REQUEST}` })) {
        url.searchParams.set(name, value);
      }
      const found = await withRetries(() => requests.json(url, schema, { signal }), signal);
      yield found.results;
      if (found._links.next === undefined) return;
      // Offsets count invisible entries too, so the next offset cannot be derived from the number of results.
      const next = Number(URL.parse(found._links.next, site)?.searchParams.get('start') ?? Number.NaN);
      if (!(next > start)) throw new ServiceError('provider_failed', 'Confluence lists the same over and over.');
      start = next;
    }
  }

  const linkOf = (path: string | undefined): string | undefined =>
    path?.startsWith('/') ? `${site}${path}` : undefined;

  const toFile = ({ id, title, version, metadata, extensions, _links }: z.output<typeof fileRecord>): ListedFile => ({
    id,
    title,
    version: version.number,
    modified: version.when,
    size: extensions?.fileSize,
    mediaType: extensions?.mediaType ?? metadata?.mediaType,
    link: linkOf(_links.webui),
  });

  async function spaceOf(key: string, signal: AbortSignal): Promise<readonly Space[]> {
    const url = new URL(`${api}/space/${encodeURIComponent(key)}`);
    try {
      const found = await withRetries(() => requests.json(url, spaceRecord, { signal }), signal);
      return [{ id: found.key, key: found.key }];
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return [];
      throw error;
    }
  }

  return {
    async spaces(keys, signal) {
      const found: Space[] = [];
      for (const key of keys ?? []) found.push(...(await spaceOf(key, signal)));
      if (keys !== undefined) return found;
      const chosen = { type: 'global', status: 'current' };
      for await (const { key } of listTwice('space', chosen, { each: spaceRecord, signal }))
        found.push({ id: key, key });
      return [...new Map(found.map((space) => [space.key, space])).values()];
    },

    async *pages({ key }, type: PageType, signal): AsyncGenerator<ListedPage, void> {
      const chosen = {
        spaceKey: key,
        type,
        status: 'current',
        expand: 'version,children.attachment.version,children.attachment.extensions',
      };
      for await (const { id, title, version, status, children, _links } of listTwice('content', chosen, {
        each: pageRecord,
        signal,
      })) {
        if ((status ?? 'current') !== 'current') continue;
        const files = children?.attachment;
        attached.set(id, files?._links.next === undefined ? files?.results.map(toFile) : undefined);
        yield { type, id, title, version: version.number, modified: version.when, link: linkOf(_links.webui) };
      }
    },

    async *files(pages, signal): AsyncGenerator<ListedFile, void> {
      for (const { id } of pages) {
        const known = attached.get(id);
        attached.delete(id);
        if (known !== undefined) {
          yield* known;
          continue;
        }
        const path = `content/${encodeURIComponent(id)}/child/attachment`;
        try {
          for await (const record of listTwice(path, { expand: 'version' }, { each: fileRecord, signal })) {
            yield toFile(record);
          }
        } catch (error) {
          // The page was deleted in the meantime.
          if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
        }
      }
    },

    async page(_type, id, { maxBytes, signal }) {
      const url = new URL(`${api}/content/${encodeURIComponent(id)}?status=current&expand=version,body.storage`);
      const { title, body } = await requests.json(url, pageWithBody, { signal, maxBytes });
      return { title, storage: body.storage.value };
    },

    async file(id, options) {
      const { signal } = options;
      const record = new URL(`${api}/content/${encodeURIComponent(id)}?expand=version`);
      const { _links } = await requests.json(record, fileRecord, { signal });
      const url = URL.parse(`${site}${_links.download ?? ''}`);
      // Never send the token to another origin.
      if (_links.download?.startsWith('/') !== true || url?.origin !== new URL(site).origin) {
        throw new ServiceError('provider_failed', 'Confluence does not say where the attachment is.');
      }
      return requests.file(url, options);
    },
  };
}
