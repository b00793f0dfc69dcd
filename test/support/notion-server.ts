import { createServer } from 'node:http';
import type { RemoteNetwork } from '../../src/sources/connector.ts';
import { cutOnFailure } from './cut-on-failure.ts';

export interface NotionPage {
  readonly id: string;
  readonly properties: Readonly<Record<string, object>>;
  markdown: string;
  edited: string;
  isInTrash?: boolean;
  isShared?: boolean;
  /** Text parts that a long page omits and that have to be fetched separately. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Whether searches do not find the page yet, because Notion's index lags behind. */
  isMissing?: boolean;
}

/** A fake of Notion's API for pages on loopback; `network` redirects requests for api.notion.com to it. */
export async function startNotion(pages: readonly NotionPage[], token: string, perAnswer = 2) {
  const requests: string[] = [];
  /** Queued error responses for the next requests. */
  const refusals: { status: number; code: string; retryAfter?: number }[] = [];
  const server = createServer(
    cutOnFailure(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const url = new URL(request.url ?? '', 'http://localhost');
      requests.push(`${request.method} ${url.pathname}`);
      const answer = (status: number, value: object, headers: Record<string, string> = {}) =>
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
      const fail = (status: number, code: string, headers = {}) =>
        answer(status, { object: 'error', status, code, message: 'words of the server' }, headers);
      if (request.headers.authorization !== `Bearer ${token}`) return fail(401, 'unauthorized');
      const refusal = refusals.shift();
      if (refusal !== undefined) {
        const { retryAfter } = refusal;
        return fail(refusal.status, refusal.code, retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` });
      }
      const shared = pages.filter(({ isShared = true }) => isShared);
      if (url.pathname === '/v1/search') {
        const { start_cursor: start, page_size: size = 100 } = JSON.parse(body) as Record<string, never>;
        const found = shared
          .filter(({ isInTrash, isMissing }) => !isInTrash && !isMissing)
          .sort((one, other) => one.edited.localeCompare(other.edited));
        const from = Number(start ?? 0);
        const until = from + Math.min(size, perAnswer);
        const more = until < found.length;
        return answer(200, {
          object: 'list',
          type: 'page_or_data_source',
          page_or_data_source: {},
          has_more: more,
          next_cursor: more ? `${until}` : null,
          results: found.slice(from, until).map(toWire),
        });
      }
      const [, id = '', part] = /^\/v1\/pages\/([^/]+)(\/markdown)?$/.exec(url.pathname) ?? [];
      const page = shared.find((each) => each.id === id);
      if (part === undefined) return page === undefined ? fail(404, 'object_not_found') : answer(200, toWire(page));
      const inner = shared.flatMap(({ parts = {} }) => parts[id] ?? [])[0];
      const markdown = page?.markdown ?? inner;
      if (markdown === undefined) return fail(404, 'object_not_found');
      const unknown = Object.keys(page?.parts ?? {});
      return answer(200, {
        object: 'page_markdown',
        id,
        markdown,
        truncated: unknown.length > 0,
        unknown_block_ids: unknown,
      });
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const network: RemoteNetwork = {
    fetch: (input, init) => fetch(String(input).replace('https://api.notion.com/', `http://127.0.0.1:${port}/`), init),
    addressOf: () => Promise.reject(new Error('Only for other protocols.')),
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { network, requests, refusals, close };
}

const toWire = ({ id, properties, edited, isInTrash = false }: NotionPage) => ({
  object: 'page',
  id,
  properties,
  last_edited_time: edited,
  in_trash: isInTrash,
  archived: isInTrash,
  created_time: edited,
  url: `https://www.notion.so/${id}`,
  public_url: null,
  icon: null,
  cover: null,
  parent: { type: 'workspace', workspace: true },
});

export const titled = (title: string) => ({
  id: 'title',
  type: 'title',
  title: [{ type: 'text', text: { content: title }, plain_text: title, href: null, annotations: {} }],
});
