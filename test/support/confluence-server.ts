import { createServer, type ServerResponse } from 'node:http';

export interface ConfluencePage {
  readonly id: string;
  readonly type?: 'page' | 'blogpost';
  readonly space: string;
  title: string;
  version: number;
  status?: 'current' | 'archived' | 'trashed';
  storage: string;
  readonly files?: ConfluenceFile[];
}

export interface ConfluenceFile {
  readonly id: string;
  readonly title: string;
  version: number;
  readonly mediaType: string;
  bytes: string;
}

export interface ConfluenceSite {
  readonly edition: 'cloud' | 'data-center';
  readonly spaces: readonly { readonly id: string; readonly key: string; readonly type: string }[];
  readonly pages: ConfluencePage[];
  /** Maximum number of records per response. */
  readonly perAnswer?: number;
}

interface Refusal {
  readonly status: number;
  readonly path?: RegExp;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const EDITED = '2025-01-06T10:00:00.000Z';
export const EMAIL = 'ann@example.org';
export const TOKEN = 'right-token';

/** A fake of the Confluence REST APIs on loopback, below the path /wiki. */
export async function startConfluence({ edition, spaces, pages, perAnswer = 2 }: ConfluenceSite) {
  const requests: string[] = [];
  /** Queued error responses for the next requests. */
  const refusals: Refusal[] = [];
  const expected =
    edition === 'cloud' ? `Basic ${Buffer.from(`${EMAIL}:${TOKEN}`).toString('base64')}` : `Bearer ${TOKEN}`;
  let base = '';

  const current = () => pages.filter(({ status = 'current' }) => status === 'current');
  const holderOf = (fileId: string) => current().find(({ files = [] }) => files.some(({ id }) => id === fileId));
  const fileOf = (fileId: string) => holderOf(fileId)?.files?.find(({ id }) => id === fileId);

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', base);
    const path = url.pathname.replace(/^\/wiki/, '');
    requests.push(path + url.search);
    const at = refusals.findIndex((each) => each.path === undefined || each.path.test(path));
    const refusal = at === -1 ? undefined : refusals.splice(at, 1)[0];
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { 'content-type': 'text/html', ...refusal.headers });
      response.end(refusal.body ?? 'words of the server');
    } else if (path.startsWith('/media/')) {
      // Stands for a separate media service, which must not receive credentials.
      if (request.headers.authorization !== undefined) answer(response, 400, {});
      else answerFile(response, path.slice('/media/'.length));
    } else if (request.headers.authorization !== expected) answer(response, 401, { message: 'no' });
    else if (edition === 'cloud') answerCloud(response, path, url);
    else answerDataCenter(response, path, url);
  });

  function answerFile(response: ServerResponse, id: string) {
    const file = fileOf(id);
    if (file === undefined) return answer(response, 404, {});
    response.writeHead(200, { 'content-type': file.mediaType }).end(file.bytes);
  }

  function answerCloud(response: ServerResponse, path: string, url: URL) {
    const list = (records: readonly object[]) => {
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const until = from + Math.min(perAnswer, Number(url.searchParams.get('limit')));
      const next = new URL(url);
      next.searchParams.set('cursor', `${until}`);
      const _links = { base: `${base}/wiki`, ...(until < records.length && { next: next.pathname + next.search }) };
      answer(response, 200, { results: records.slice(from, until), _links });
    };
    const [, kind, id = '', below] = /^\/api\/v2\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(path) ?? [];
    if (kind === 'spaces' && below === undefined) {
      const keys = url.searchParams.get('keys')?.split(',');
      return list(
        spaces.filter(({ key }) => keys?.includes(key) ?? true).map((each) => ({ ...each, status: 'current' })),
      );
    }
    if (kind === 'spaces') {
      const space = spaces.find((each) => each.id === id);
      const statuses = url.searchParams.get('status')?.split(',') ?? ['current', 'archived'];
      const type = below === 'pages' ? 'page' : 'blogpost';
      return list(
        pages
          .filter((page) => page.space === space?.key && (page.type ?? 'page') === type)
          .filter(({ status = 'current' }) => statuses.includes(status))
          .map((page) => cloudPage(page)),
      );
    }
    if (kind === 'attachments' && id === '') return list(current().flatMap((page) => cloudFiles(page)));
    if (kind === 'attachments') {
      const found = current()
        .flatMap(cloudFiles)
        .find((file) => file.id === id);
      return found === undefined ? answer(response, 404, {}) : answer(response, 200, found);
    }
    const download = /^\/rest\/api\/content\/([^/]+)\/child\/attachment\/([^/]+)\/download$/.exec(path);
    if (download !== null) {
      if (holderOf(download[2] ?? '')?.id !== download[1]) return answer(response, 404, {});
      const elsewhere = base.replace('127.0.0.1', 'localhost');
      return response.writeHead(302, { location: `${elsewhere}/media/${download[2]}` }).end();
    }
    const page = pages.find((each) => each.id === id && `${each.type ?? 'page'}s` === kind);
    if (page === undefined) return answer(response, 404, { errors: [{ status: 404, code: 'NOT_FOUND' }] });
    if (below === 'attachments') return list(cloudFiles(page));
    return answer(response, 200, {
      ...cloudPage(page),
      body: { storage: { representation: 'storage', value: page.storage } },
    });
  }

  function answerDataCenter(response: ServerResponse, path: string, url: URL) {
    const list = (records: readonly object[], size = perAnswer) => {
      const start = Number(url.searchParams.get('start') ?? 0);
      const until = start + Math.min(size, Number(url.searchParams.get('limit') ?? 25));
      const results = records.slice(start, until);
      const next = new URL(url);
      next.searchParams.set('start', `${until}`);
      const _links = { base: `${base}/wiki`, context: '/wiki', self: url.href };
      const more = until < records.length && { next: (next.pathname + next.search).replace(/^\/wiki/, '') };
      answer(response, 200, { results, start, limit: size, size: results.length, _links: { ..._links, ...more } });
    };
    const [, kind, id = '', below] =
      /^\/rest\/api\/(space|content)(?:\/([^/]+))?(\/child\/attachment)?$/.exec(path) ?? [];
    if (kind === 'space' && id === '') return list(spaces.filter(({ type }) => type === url.searchParams.get('type')));
    if (kind === 'space') {
      const space = spaces.find(({ key }) => key === id);
      return space === undefined ? answer(response, 404, { statusCode: 404 }) : answer(response, 200, space);
    }
    if (kind === 'content' && id === '') {
      const key = url.searchParams.get('spaceKey');
      const type = url.searchParams.get('type');
      const found = current().filter((page) => page.space === key && (page.type ?? 'page') === type);
      return list(found.map((page) => ownPage(page, 1)));
    }
    if (kind === 'content' && id.startsWith('att')) {
      const holder = holderOf(id);
      const file = holder && ownFiles(holder).find((each) => each.id === id);
      return file === undefined ? answer(response, 404, {}) : answer(response, 200, file);
    }
    const page = current().find((each) => each.id === id);
    if (kind === 'content' && page !== undefined) {
      if (below !== undefined) return list(ownFiles(page));
      const body = { storage: { representation: 'storage', value: page.storage } };
      return answer(response, 200, { ...ownPage(page, 0), body });
    }
    const file = /^\/download\/attachments\/[^/]+\/([^/]+)$/.exec(path)?.[1];
    const found = current().flatMap(
      ({ files = [] }) => files.find(({ title }) => encodeURIComponent(title) === file) ?? [],
    );
    if (found[0] !== undefined) return answerFile(response, found[0].id);
    return answer(response, 404, { statusCode: 404, message: 'No content found' });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { site: `${base}/wiki`, requests, refusals, close };
}

const answer = (response: ServerResponse, status: number, value: object) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

const cloudPage = ({ id, title, version, status = 'current' }: ConfluencePage) => ({
  id,
  status,
  title,
  spaceId: '1',
  parentId: null,
  authorId: 'a',
  createdAt: EDITED,
  body: {},
  version: { number: version, createdAt: EDITED, message: '', minorEdit: false, authorId: 'a' },
  _links: { webui: `/spaces/X/pages/${id}`, editui: '', tinyui: `/x/${id}` },
});

const cloudFiles = (page: ConfluencePage) =>
  (page.files ?? []).map(({ id, title, version, mediaType, bytes }) => ({
    id,
    status: 'current',
    title,
    mediaType,
    fileSize: bytes.length,
    createdAt: EDITED,
    fileId: `f-${id}`,
    ...(page.type === 'blogpost' ? { blogPostId: page.id } : { pageId: page.id }),
    webuiLink: `/pages/viewpageattachments.action?preview=${id}`,
    downloadLink: `/download/attachments/${id}`,
    version: { number: version, createdAt: EDITED, message: '', minorEdit: false, authorId: 'a' },
  }));

/** The page in wire format, with at most this many of its attachments inline. */
const ownPage = (page: ConfluencePage, max: number) => {
  const files = ownFiles(page);
  const next = files.length > max && { next: `/rest/api/content/${page.id}/child/attachment?limit=1&start=1` };
  return {
    id: page.id,
    type: page.type ?? 'page',
    status: 'current',
    title: page.title,
    version: { number: page.version, when: EDITED, minorEdit: false },
    children: { attachment: { results: files.slice(0, max), start: 0, limit: 25, _links: { ...next, self: '' } } },
    _links: { webui: `/display/X/${page.id}`, self: '' },
  };
};

const ownFiles = ({ id: holder, files = [] }: ConfluencePage) =>
  files.map(({ id, title, version, mediaType, bytes }) => ({
    id,
    type: 'attachment',
    status: 'current',
    title,
    version: { number: version, when: EDITED },
    extensions: { mediaType, fileSize: bytes.length, comment: '' },
    _links: {
      webui: `/display/X/${holder}?preview=${id}`,
      download: `/download/attachments/${holder}/${encodeURIComponent(title)}?version=${version}`,
    },
  }));
