import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCitewell } from './support/start-citewell.ts';
import { type RunningHttp, startHttp } from './support/start-http.ts';
import { type Route, watchMounts } from './support/watch-mounts.ts';

const PASSWORD = 'a long pass phrase';
/** Contained in all of the owner's data, and nowhere else. */
const SECRET = 'xylophagous';
const NOBODY = '6b9f1f3e-0000-4000-8000-000000000000';

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
  readonly body: any;
}
type Person = 'owner' | 'member' | 'stranger' | 'anonymous' | 'superuser';

let server: RunningHttp;
let routes: readonly Route[];
const tokens = new Map<Person, string>();
const ids: Record<string, string> = {};

async function call(person: Person, { method, path }: Route, body?: unknown): Promise<Answer> {
  const token = tokens.get(person);
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}
const post = async (person: Person, path: string, body: unknown = {}) =>
  (await call(person, { method: 'POST', path: `/v3${path}` }, body)).body?.results;

beforeAll(async () => {
  const { routesOf, stop } = watchMounts();
  server = await startCitewell({ isRequired: true, hasTestAdmin: true });
  routes = (await routesOf()).filter(({ path }) => /^\/(v\d\/|$)/.test(path));
  stop();
  for (const [person, email] of [
    ['owner', 'owner@example.org'],
    ['member', 'member@example.org'],
    ['stranger', 'stranger@example.org'],
  ] as const) {
    const user = await post('anonymous', '/users', {
      email,
      password: PASSWORD,
      bio: person === 'owner' ? SECRET : '',
    });
    ids[person] = user.id;
    const login = await post('anonymous', '/users/login', { username: email, password: PASSWORD });
    tokens.set(person, login.access_token.token);
  }
  const admin = { username: 'admin@example.com', password: 'change_me_immediately' };
  tokens.set('superuser', (await post('anonymous', '/users/login', admin)).access_token.token);

  const { id: collection } = await post('owner', '/collections', { name: 'Shared', description: SECRET });
  await post('owner', `/collections/${collection}/users/${ids['member']}`);
  const shared = await post('owner', '/documents', {
    raw_text: `Wood is ${SECRET} food.`,
    collection_ids: [collection],
  });
  const own = await post('owner', '/documents', { raw_text: `A ${SECRET} beetle, kept apart.` });
  const conversation = await post('owner', '/conversations', { name: SECRET });
  const message = await post('owner', `/conversations/${conversation.id}/messages`, { role: 'user', content: SECRET });
  const key = await post('owner', `/users/${ids['owner']}/api-keys`, { name: SECRET });
  const chunks = await call('owner', { method: 'GET', path: `/v3/documents/${own.document_id}/chunks` });
  Object.assign(ids, {
    collection,
    shared: shared.document_id,
    document: own.document_id,
    conversation: conversation.id,
    message: message.id,
    key: key.key_id,
    chunk: chunks.body.results[0].id,
  });
});
afterAll(() => server.close());

/** Public by contract (docs/contract.md 2): used to log in, or without any private information. */
const isPublic = ({ method, path }: Route): boolean =>
  /^\/v3\/(health|users\/(login|refresh-token|verify-email|send-verification-email|request-password-reset|reset-password))$/.test(
    path,
  ) ||
  (path === '/v3/users' && method === 'POST') ||
  /openapi|\/docs/.test(path);

/** Fills in the owner's identifiers where the path has parameters. */
function at({ method, path }: Route): Route {
  const rooms: readonly (readonly [RegExp, string | undefined])[] = [
    [/\/documents\/:\w+/, `/documents/${ids['document']}`],
    [/\/chunks\/:\w+/, `/chunks/${ids['chunk']}`],
    [/\/conversations\/:\w+/, `/conversations/${ids['conversation']}`],
    [/\/messages\/:\w+/, `/messages/${ids['message']}`],
    [/\/collections\/name\/:\w+/, '/collections/name/Shared'],
    [/\/collections\/:\w+/, `/collections/${ids['collection']}`],
    [/\/graphs\/:\w+/, `/graphs/${ids['collection']}`],
    [/\/users\/:\w+/, `/users/${ids['owner']}`],
    [/\/api-keys\/:\w+/, `/api-keys/${ids['key']}`],
    [/:\w+/g, NOBODY],
  ];
  return { method, path: rooms.reduce((text, [pattern, value]) => text.replace(pattern, value ?? ''), path) };
}

/** A body that every route can read, and would use for changes if it allowed them. */
const body = {
  query: 'wood beetle food',
  message: 'What does the beetle eat?',
  text: 'taken over',
  name: 'taken over',
  bio: 'taken over',
  description: 'taken over',
  content: 'taken over',
  raw_text: 'Something of one’s own.',
  metadata: { note: 'taken over' },
  password: PASSWORD,
  email: 'taken@example.org',
  user_id: NOBODY,
};

/** All of the owner's data, as the owner sees it. */
async function belongings(): Promise<string> {
  const paths = [
    `/documents/${ids['document']}`,
    `/documents/${ids['document']}/chunks`,
    `/documents/${ids['shared']}`,
    `/documents/${ids['shared']}/chunks`,
    `/conversations/${ids['conversation']}`,
    `/collections/${ids['collection']}`,
    `/collections/${ids['collection']}/users`,
    `/collections/${ids['collection']}/documents`,
    `/users/${ids['owner']}`,
    `/users/${ids['owner']}/api-keys`,
  ];
  const found = await Promise.all(paths.map((path) => call('owner', { method: 'GET', path: `/v3${path}` })));
  expect(found.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return found.map(({ text }) => text).join('\n');
}

describe('every route', () => {
  it('is covered by this test', () => {
    const paths = routes.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual(
      expect.arrayContaining([
        'GET /v3/documents/:id',
        'POST /v3/retrieval/rag',
        'DELETE /v3/users/:id/api-keys/:keyId',
      ]),
    );
    expect(paths.length).toBeGreaterThan(50);
  });

  it('requires credentials, except to obtain them', async () => {
    for (const route of routes.filter((each) => !isPublic(each))) {
      const { status } = await call('anonymous', at(route), route.method === 'GET' ? undefined : body);
      expect([`${route.method} ${route.path}`, status]).toEqual([`${route.method} ${route.path}`, 401]);
    }
  });

  it('neither shows nor lets change records of other users', async () => {
    const before = await belongings();
    for (const route of routes.filter((each) => !/^\/v3\/users(\/logout)?$/.test(each.path))) {
      const { status, text } = await call('stranger', at(route), route.method === 'GET' ? undefined : body);
      expect([`${route.method} ${route.path}`, status < 500 || status === 503, text.includes(SECRET)]).toEqual([
        `${route.method} ${route.path}`,
        true,
        false,
      ]);
    }
    expect(await belongings()).toBe(before);
  });

  it('lets a member read but not change or delete what is shared', async () => {
    const before = await belongings();
    const shared = { method: 'GET', path: `/v3/documents/${ids['shared']}` };
    expect((await call('member', shared)).status).toBe(200);
    const found = await call('member', { method: 'POST', path: '/v3/retrieval/search' }, { query: 'wood food' });
    expect([found.text.includes(SECRET), found.text.includes('beetle, kept apart')]).toEqual([true, false]);
    for (const [method, path] of [
      ['DELETE', ''],
      ['PATCH', '/metadata'],
      ['PUT', '/metadata'],
    ] as const) {
      const { status } = await call('member', { method, path: `${shared.path}${path}` }, path ? [{ a: 1 }] : undefined);
      expect([403, 404]).toContain(status);
    }
    for (const path of ['', `/documents/${ids['shared']}`, `/users/${ids['owner']}`]) {
      const { status } = await call('member', {
        method: 'DELETE',
        path: `/v3/collections/${ids['collection']}${path}`,
      });
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    expect(await belongings()).toBe(before);
  });

  it('lets the owner and a superuser see what others do not', async () => {
    for (const person of ['owner', 'superuser'] as const) {
      for (const route of routes.filter(
        ({ method, path }) => method === 'GET' && /:/.test(path) && !/runs|oauth/.test(path),
      )) {
        const { status } = await call(person, at(route));
        expect([person, route.path, status]).not.toEqual([person, route.path, 401]);
        if (/\/(documents|conversations|collections|users)\/:\w+$/.test(route.path))
          expect([person, route.path, status]).toEqual([person, route.path, 200]);
      }
    }
  });

  it('applies current sharing to earlier runs too, and lets the owner revoke access', async () => {
    const { id: first } = await post('owner', '/collections', { name: 'First' });
    const { id: second } = await post('member', '/collections', { name: 'Second' });
    await post('owner', `/collections/${first}/users/${ids['member']}`);
    await post('member', `/collections/${second}/users/${ids['stranger']}`);
    const { document_id: id } = await post('owner', '/documents', {
      raw_text: `A ${SECRET} weevil.`,
      collection_ids: [first],
    });
    const then = new Date(Date.now() + 5).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await post('member', `/collections/${second}/documents/${id}`);
    const statusOf = async (person: Person, path: string) =>
      (await call(person, { method: 'GET', path: `/v3${path}` })).status;
    expect([await statusOf('member', `/documents/${id}`), await statusOf('stranger', `/documents/${id}`)]).toEqual([
      200, 200,
    ]);
    await post('owner', '/documents', { id, replace: true, raw_text: `Another ${SECRET} weevil.` });
    for (const collection of [first, second]) {
      const path = `/v3/collections/${collection}/documents/${id}`;
      const others = await call('stranger', { method: 'DELETE', path });
      expect(others.status).toBeGreaterThanOrEqual(400);
      expect((await call('owner', { method: 'DELETE', path })).status).toBe(200);
    }
    for (const person of ['member', 'stranger'] as const) {
      for (const part of ['', '/text', '/chunks', '/download', '/events', '/entities']) {
        expect([404, 403]).toContain(await statusOf(person, `/documents/${id}${part}?as_of=${then}`));
      }
      for (const path of ['/retrieval/search', '/retrieval/rag', '/documents/search', '/chunks/search']) {
        const settings = { as_of: then, explain: true, use_hybrid_search: true };
        const asked = { query: 'weevil', search_settings: settings };
        const { text } = await call(person, { method: 'POST', path: `/v3${path}` }, asked);
        expect([path, text.includes(id)]).toEqual([path, false]);
      }
    }
  });

  it('applies one rate limit to all spellings of a path', async () => {
    const counted: string[] = [];
    const admit = async (_principal: unknown, route: string) => {
      counted.push(route);
    };
    const limited = await startHttp({ accounts: { limits: { admit } } as never });
    for (const path of ['/v3/retrieval/search', '/V3/Retrieval/SEARCH/']) await limited.post(path, {});
    await limited.close();
    expect(new Set(counted)).toEqual(new Set(['POST /v3/retrieval/search']));
  });
});
