import type { Client, PageObjectResponse } from '@notionhq/client';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import type { Listed, RemoteItem, RemoteNetwork, SourceConnector } from '../connector.ts';
import { asNotionFailure } from './notion-failure.ts';
import { propertyLines, titleOf } from './page-properties.ts';

export interface NotionSource {
  readonly address: string;
  readonly token: string;
  readonly network: RemoteNetwork;
}

const PER_PAGE = 100;
const MAX_RESPONSE = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
/** Maximum number of parts of a long page; each is fetched separately. */
const MAX_PARTS = 200;
/** Edit times are truncated to the minute, so a recently edited page may change again under the same time. */
const UNSETTLED_MS = 2 * 60_000;

const cursorSchema = z.array(z.string());

/**
 * Notion's search lists the pages shared with the integration, but is not guaranteed to be complete. A known page
 * missing from the results is therefore looked up; only a page in the trash counts as removed.
 */
export function createNotionConnector({ address, token, network }: NotionSource): SourceConnector {
  async function ask<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    const { Client, LogLevel } = await import('@notionhq/client');
    const client = new Client({
      auth: token,
      timeoutMs: TIMEOUT_MS,
      logLevel: LogLevel.ERROR,
      logger: () => undefined,
      fetch: async (url, init) => bounded(await network.fetch(url, { ...(init as RequestInit), signal })),
    });
    try {
      return await work(client);
    } catch (error) {
      signal.throwIfAborted();
      throw asNotionFailure(error);
    }
  }

  async function* list(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const parsed = cursorSchema.safeParse(jsonOrUndefined(cursor ?? ''));
    const known = parsed.success ? parsed.data : undefined;
    const seen = new Set<string>();
    let next: string | undefined;
    do {
      const start: string | undefined = next;
      const found = await ask(signal, (client) =>
        client.search({
          filter: { property: 'object', value: 'page' },
          page_size: PER_PAGE,
          // Pages edited during the listing move to the end, so none is skipped.
          sort: { timestamp: 'last_edited_time', direction: 'ascending' },
          ...(start !== undefined && { start_cursor: start }),
        }),
      );
      for (const page of found.results) {
        if (page.object !== 'page' || !('properties' in page) || page.in_trash || seen.has(page.id)) continue;
        seen.add(page.id);
        yield toItem(page);
      }
      if (found.request_status?.type === 'incomplete') {
        yield { kind: 'failed', key: 'search', reason: 'Notion lists no more pages at once; the others are left out.' };
      }
      next = found.has_more ? (found.next_cursor ?? undefined) : undefined;
      if (next !== undefined && next === start) throw new ServiceError('provider_failed', 'Notion repeats its list.');
    } while (next !== undefined);
    const kept: string[] = [];
    for (const id of known ?? []) {
      if (seen.has(id)) continue;
      const state = await stateOf(id, signal);
      if (state !== 'gone') kept.push(id);
      if (state === 'gone') yield { kind: 'removed', key: id };
      else if (state === 'hidden') {
        const reason = 'The page is no longer shared with the integration, or deleted for good. Its document is kept.';
        yield { kind: 'failed', key: id, reason };
      }
    }
    // `changes`, not `all`: a page missing from the search results may still exist.
    yield { kind: 'end', covers: 'changes', cursor: JSON.stringify([...seen, ...kept]) };
  }

  async function stateOf(id: string, signal: AbortSignal): Promise<'there' | 'gone' | 'hidden'> {
    try {
      const page = await ask(signal, (client) => client.pages.retrieve({ page_id: id }));
      return 'in_trash' in page && page.in_trash ? 'gone' : 'there';
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return 'hidden';
      throw error;
    }
  }

  function toItem(page: PageObjectResponse): RemoteItem {
    const { id, last_edited_time: edited, url } = page;
    const title = titleOf(page);
    const isSettled = Date.now() - Date.parse(edited) > UNSETTLED_MS;
    const name = (title ?? '')
      .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
      .trim()
      .slice(0, 120);
    return {
      kind: 'item',
      key: id,
      version: isSettled ? edited : `${edited} or later`,
      uri: `${address}/${encodeURIComponent(id)}`,
      fileName: `${name || id}.md`,
      modified: edited,
      ...(title !== undefined && { title }),
      ...(/^https:\/\//.test(url) && { link: url }),
    };
  }

  /** The page's Markdown, followed by the parts that Notion omits from long pages. */
  async function markdownOf(id: string, maxBytes: number, signal: AbortSignal): Promise<string> {
    const parts: string[] = [];
    const wanted = [id];
    let size = 0;
    for (let at = 0; at < wanted.length; at++) {
      const page_id = wanted[at] ?? id;
      const part = await ask(signal, (client) => client.pages.retrieveMarkdown({ page_id })).catch((error: unknown) => {
        // The part is not shared with the integration, for example a subpage.
        if (at > 0 && error instanceof ServiceError && error.code === 'not_found') return undefined;
        throw error;
      });
      if (part === undefined) continue;
      parts.push(part.markdown);
      size += Buffer.byteLength(part.markdown);
      wanted.push(...part.unknown_block_ids.filter((each) => !wanted.includes(each)));
      if (size > maxBytes || wanted.length > MAX_PARTS) {
        throw new ServiceError('too_large', 'The page is too long to be read (CITEWELL_MAX_FILE_MB). Divide it.');
      }
    }
    return parts.join('\n\n');
  }

  return {
    needsCursor: true,
    list,
    async read({ key }, { maxBytes, signal }) {
      const page = await ask(signal, (client) => client.pages.retrieve({ page_id: key }));
      if (!('properties' in page) || page.in_trash) {
        throw new ServiceError('not_found', 'The page is in the trash.');
      }
      const title = titleOf(page);
      const lines = propertyLines(page).map((line) => `- ${line}`);
      const markdown = await markdownOf(key, maxBytes, signal);
      const text = [...(title === undefined ? [] : [`# ${title}`]), lines.join('\n'), markdown]
        .filter((part) => part !== '')
        .join('\n\n');
      return { bytes: new TextEncoder().encode(text), mediaType: 'text/markdown' };
    },
  };
}

/** Buffers a response; throws `too_large` if its body exceeds the limit. */
async function bounded(response: Response) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_RESPONSE) throw new ServiceError('too_large', 'Notion sent more at once than is read.');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { ok: response.ok, status: response.status, headers: response.headers, body: null, text: async () => text };
}
