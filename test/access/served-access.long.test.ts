import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectStdio, eraOptions, textOf } from '../mcp/support/citewell-mcp.ts';
import { type OAuthIssuer, startIssuer, type TokenOptions } from '../support/oauth-issuer.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';

const KEY = 'correct-horse-battery';
const SECOND_KEY = 'staple-of-sixteen-and-more';
const settings = { CITEWELL_API_KEYS: `${KEY}, ${SECOND_KEY}`, CITEWELL_LOG_LEVEL: 'trace' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
type Headers = Readonly<Record<string, string>>;
type Route = readonly [method: string, path: string, body?: object];

const routes: readonly Route[] = [
  ['GET', '/'],
  ['GET', '/v3/documents'],
  ['POST', '/v3/documents/search', { query: 'lighthouse' }],
  ['POST', '/v3/retrieval/search', { query: 'lighthouse' }],
  ['POST', '/v3/retrieval/rag', { query: 'lighthouse' }],
  ['POST', '/v3/retrieval/agent', { message: 'Where does a lighthouse stand?' }],
  ['GET', '/v3/retrieval/runs'],
  ['GET', '/v3/conversations'],
  ['POST', '/mcp', INITIALIZE],
];
const upload: Route = ['POST', '/v3/documents', { raw_text: 'A lighthouse stands on Skerry.' }];

let cwd: string;
let issuer: OAuthIssuer;
let server: RunningServer;
let alice: Headers;
let bob: Headers;
const secrets: string[] = [KEY, SECOND_KEY];

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
async function tokenOf(options: TokenOptions): Promise<string> {
  const token = await issuer.token({ audience: `${server.url}/mcp`, ...options });
  secrets.push(token);
  return token;
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-access-'));
  issuer = await startIssuer();
  server = await startCitewell({ cwd, env: { ...settings, CITEWELL_OAUTH_ISSUER: issuer.issuer } });
  alice = bearer(await tokenOf({ subject: 'alice' }));
  bob = bearer(await tokenOf({ subject: 'bob' }));
});
afterAll(async () => {
  await server.kill();
  await issuer.close();
  await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

function call([method, path, body]: Route, headers: Headers = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
async function ask(route: Route, headers: Headers): Promise<{ status: number; body: any }> {
  const response = await call(route, headers);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('a server with keys and an issuer', () => {
  it.each<[string, () => Promise<Headers>, number]>([
    ['no credentials', async () => ({}), 401],
    ['a key as a bearer', async () => bearer(KEY), 200],
    ['the other key as x-api-key', async () => ({ 'x-api-key': SECOND_KEY }), 200],
    ['a wrong key', async () => bearer('wrong-horse-battery'), 401],
    ['a wrong x-api-key', async () => ({ 'x-api-key': KEY.slice(0, -1) }), 401],
    ['a key with more behind it', async () => bearer(`${KEY}x`), 401],
    ['both headers', async () => ({ ...bearer(KEY), 'x-api-key': KEY }), 400],
    ['another scheme', async () => ({ authorization: `Basic ${btoa(`admin:${KEY}`)}` }), 401],
    ['a key in another place', async () => ({ cookie: `key=${KEY}`, 'x-auth': KEY }), 401],
    ['an access token', async () => alice, 200],
    ['an access token as x-api-key', async () => ({ 'x-api-key': await tokenOf({ subject: 'alice' }) }), 401],
    [
      'a token for another server',
      async () => bearer(await tokenOf({ audience: 'https://x.test', subject: 'a' })),
      401,
    ],
    [
      'a token for the server without its path',
      async () => bearer(await tokenOf({ audience: server.url, subject: 'a' })),
      401,
    ],
    ['a token of another issuer', async () => bearer(await tokenOf({ issuer: 'https://x.test', subject: 'a' })), 401],
    ['a forged token', async () => bearer(await tokenOf({ subject: 'alice', isForged: true })), 401],
    ['an expired token', async () => bearer(await tokenOf({ subject: 'alice', expiresIn: -60 })), 401],
  ])('answers %s alike on every route', async (_what, make, expected) => {
    const headers = await make();
    for (const route of expected === 200 ? routes : [...routes, upload]) {
      const response = await call(route, headers);
      const text = await response.text();
      expect([route[1], response.status]).toEqual([route[1], expected]);
      if (expected === 200) continue;
      const body = JSON.parse(text);
      if (route[1] === '/mcp') expect(body).toMatchObject({ jsonrpc: '2.0', error: { code: -32_001 } });
      else expect(body).toMatchObject({ message: expect.any(String), error_type: 'R2RException' });
      const challenge = response.headers.get('www-authenticate');
      if (expected === 401) {
        expect(challenge).toContain(
          `Bearer resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`,
        );
      } else expect(challenge).toBeNull();
    }
  });

  it('answers a wrong key of Dify with 403, which Dify understands', async () => {
    const route: Route = ['POST', '/dify/retrieval', { knowledge_id: 'all', query: 'tides' }];
    expect(await ask(route, bearer(KEY))).toMatchObject({ status: 200, body: { records: expect.any(Array) } });
    const { status, body } = await ask(route, bearer('wrong-horse-battery'));
    expect({ status, body }).toEqual({ status: 403, body: { error_code: 1002, error_msg: expect.any(String) } });
    expect((await ask(route, {})).status).toBe(401);
  });

  it('reports an expired token with the error on which clients renew it', async () => {
    const expired = bearer(await tokenOf({ subject: 'alice', expiresIn: -60 }));
    const { status, body } = await ask(['GET', '/v3/documents'], expired);
    expect(status).toBe(401);
    expect(body.error_code).toBe('TOKEN_EXPIRED');
    expect(body.message.toLowerCase()).toContain('token expired');
  });

  it('answers health and OAuth metadata without credentials', async () => {
    expect((await ask(['GET', '/v3/health'], {})).status).toBe(200);
    for (const path of ['', '/mcp']) {
      const response = await call(['GET', `/.well-known/oauth-protected-resource${path}`]);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({
        resource: `${server.url}/mcp`,
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ['header'],
      });
    }
    expect((await call(['GET', '/.well-known/oauth-protected-resource/elsewhere'])).status).toBe(404);
  });

  it('serves the command line of its own machine without credentials', async () => {
    await writeFile(join(cwd, 'bread.txt'), 'Rye bread keeps for a week.');
    const run = (...args: string[]) => runCitewell(args, { cwd });
    expect((await run('ingest', 'bread.txt')).code).toBe(0);
    const status = JSON.parse((await run('status', '--json')).stdout);
    expect(status.server).toBe(server.url);
    expect((await run('search', 'rye bread')).stdout).toContain('keeps for a week');
    expect((await run('ask', '--agent', 'How long does rye bread keep?')).stdout).toContain('week');
    const client = await connectStdio({ cwd });
    const found = await client.callTool({ name: 'search_file_knowledge', arguments: { query: 'rye bread' } });
    expect(textOf(found)).toContain('keeps for a week');
  });

  it('refers an MCP client without a token to the issuer', async () => {
    const response = await call(['POST', '/mcp', INITIALIZE]);
    const { resourceMetadataUrl = '' } = extractWWWAuthenticateParams(response);
    await response.text();
    const found = await discoverOAuthProtectedResourceMetadata(`${server.url}/mcp`, { resourceMetadataUrl });
    expect(found.resource).toBe(`${server.url}/mcp`);
    expect(found.authorization_servers).toEqual([issuer.issuer]);
    await expect(connect({})).rejects.toThrow();
  });

  it.each(['legacy', 'modern'] as const)('admits an MCP client with a key, or with a token (%s)', async (era) => {
    for (const headers of [bearer(KEY), { 'x-api-key': KEY }, alice]) {
      const client = await connect(headers, era);
      const result = await client.callTool({ name: 'corpus_status', arguments: {} });
      expect(textOf(result)).toContain('Documents:');
    }
  });

  it('stores and logs no credentials', async () => {
    const written = server.stdout() + server.stderr();
    expect(written).toContain('2 keys of CITEWELL_API_KEYS');
    expect(written).toContain(issuer.issuer);
    for (const secret of secrets) expect(written).not.toContain(secret);
  });
});

describe('the user of a token', () => {
  const text = 'Alice hid the treasure of Skerry below the third oak.';
  let documentId: string;
  let conversationId: string;
  beforeAll(async () => {
    const added = await ask(
      ['POST', '/v3/documents', { raw_text: text, metadata: { title: 'Treasure', place: 'oak' } }],
      alice,
    );
    documentId = added.body.results.document_id;
    const begun = await ask(['POST', '/v3/conversations', { name: 'Digging' }], alice);
    conversationId = begun.body.results.id;
    await ask(['POST', `/v3/conversations/${conversationId}/messages`, { role: 'user', content: text }], alice);
  });
  const search = (headers: Headers) =>
    ask(['POST', '/v3/retrieval/search', { query: 'treasure of Skerry below the oak' }], headers);

  it('finds their own documents; another user finds none of them, and the admin all', async () => {
    expect(JSON.stringify((await search(alice)).body)).toContain('third oak');
    expect(JSON.stringify((await search(bob)).body)).not.toContain('third oak');
    expect(JSON.stringify((await search(bearer(KEY))).body)).toContain('third oak');
    const asked = { query: 'Where is the treasure of Skerry?', message: 'Where is the treasure of Skerry?' };
    for (const path of ['/v3/retrieval/rag', '/v3/retrieval/agent']) {
      expect(JSON.stringify((await ask(['POST', path, pick(path, asked)], alice)).body)).toContain('third oak');
      expect(JSON.stringify((await ask(['POST', path, pick(path, asked)], bob)).body)).not.toContain('third oak');
    }
  });

  it('is isolated from other users whatever filters those send', async () => {
    const owner = (await ask(['GET', `/v3/documents/${documentId}`], alice)).body.results.owner_id;
    for (const filters of [
      { owner_id: { $eq: owner } },
      { document_id: { $eq: documentId } },
      { $or: [{ owner_id: { $eq: owner } }, { document_id: { $ne: owner } }] },
    ]) {
      const body = { query: 'treasure', search_settings: { filters } };
      for (const [path, secret] of [
        ['/v3/retrieval/search', 'third oak'],
        ['/v3/documents/search', 'Treasure'],
      ] as const) {
        const { status, body: found } = await ask(['POST', path, body], bob);
        expect([path, status]).toEqual([path, 200]);
        expect(JSON.stringify(found)).not.toContain(secret);
        expect(JSON.stringify((await ask(['POST', path, body], alice)).body)).toContain(secret);
      }
    }
  });

  it.each<[string, (id: string) => Route, number]>([
    ['read', (id) => ['GET', `/v3/documents/${id}`], 404],
    ['read the text of', (id) => ['GET', `/v3/documents/${id}/text`], 404],
    ['download', (id) => ['GET', `/v3/documents/${id}/download`], 403],
    ['read the chunks of', (id) => ['GET', `/v3/documents/${id}/chunks`], 403],
    ['change', (id) => ['PATCH', `/v3/documents/${id}/metadata`, [{ a: 1 }]], 404],
    ['take the place of', (id) => ['POST', '/v3/documents', { id, raw_text: 'Bob was here.', replace: true }], 409],
    ['delete', (id) => ['DELETE', `/v3/documents/${id}`], 404],
  ])('alone may %s a document', async (_verb, route, refusal) => {
    expect((await ask(route(documentId), bob)).status).toBe(refusal);
    expect((await ask(['GET', `/v3/documents/${documentId}`], alice)).body.results.metadata.place).toBe('oak');
  });

  it('alone sees their documents in lists, and deletes them by filter', async () => {
    const listed = (headers: Headers) => ask(['GET', '/v3/documents'], headers);
    const isListed = async (headers: Headers) => JSON.stringify((await listed(headers)).body).includes(documentId);
    const before = (await listed(bob)).body.total_entries;
    await ask(['DELETE', '/v3/documents/by-filter', { document_id: { $eq: documentId } }], bob);
    const listedDeletion = await ask(['POST', '/v3/documents/delete', { document_ids: [documentId] }], bob);
    expect(listedDeletion.body.results.not_deleted).toMatchObject([{ document_id: documentId, code: 'not_found' }]);
    expect([await isListed(alice), await isListed(bob), await isListed(bearer(KEY))]).toEqual([true, false, true]);
    expect((await listed(bob)).body.total_entries).toBe(before);
    expect((await listed(bearer(KEY))).body.total_entries).toBeGreaterThan(before);
  });

  it('alone can read their conversations', async () => {
    expect(JSON.stringify((await ask(['GET', '/v3/conversations'], bob)).body)).not.toContain(conversationId);
    for (const route of [
      ['GET', `/v3/conversations/${conversationId}`],
      ['DELETE', `/v3/conversations/${conversationId}`],
      ['POST', `/v3/conversations/${conversationId}/messages`, { role: 'user', content: 'x' }],
      ['POST', '/v3/retrieval/agent', { message: 'What did I say?', conversation_id: conversationId }],
    ] satisfies Route[]) {
      expect((await ask(route, bob)).status).toBe(404);
    }
    expect((await ask(['GET', `/v3/conversations/${conversationId}`], alice)).body.results).toHaveLength(1);
  });

  it('alone can resume the stream of their agent run', async () => {
    const body = { message: 'Where is the treasure?', rag_generation_config: { stream: true } };
    const response = await call(['POST', '/v3/retrieval/agent', body], alice);
    await response.text();
    const run = response.headers.get('x-run-id');
    expect((await ask(['GET', `/v3/retrieval/runs/${run}`], alice)).status).toBe(200);
    expect((await ask(['GET', `/v3/retrieval/runs/${run}`], bob)).status).toBe(404);
    expect((await ask(['POST', `/v3/retrieval/runs/${run}/cancel`], bob)).status).toBe(404);
  });

  it('can neither read nor change the deployment', async () => {
    expect((await ask(['GET', '/v3/system/status'], alice)).status).toBe(403);
    expect((await ask(['POST', '/v3/system/reindex', {}], alice)).status).toBe(403);
    expect((await ask(['GET', '/v3/system/status'], bearer(KEY))).status).toBe(200);
  });

  it('cannot upload into a collection of another user', async () => {
    const added = (await ask(['GET', `/v3/documents/${documentId}`], alice)).body.results;
    for (const id of [...added.collection_ids, '2a9d60e1-6bd4-5ef8-a9d4-0c8d1ad9a001']) {
      const body = { raw_text: `Bob was in ${id}.`, collection_ids: [id] };
      expect((await ask(['POST', '/v3/documents', body], bob)).status).toBe(403);
    }
  });

  it.each(['legacy', 'modern'] as const)('sees the same documents over MCP as over HTTP (%s)', async (era) => {
    const [own, foreign] = await Promise.all([connect(alice, era), connect(bob, era)]);
    const calls = [
      { name: 'search_file_knowledge', arguments: { query: 'treasure of Skerry' } },
      { name: 'search_file_descriptions', arguments: { query: 'treasure' } },
      { name: 'content', arguments: { document_id: documentId } },
      { name: 'get_file_content', arguments: { document_id: documentId } },
      { name: 'rag', arguments: { query: 'Where is the treasure of Skerry?' } },
      { name: 'corpus_status', arguments: { document_id: documentId } },
      { name: 'corpus_status', arguments: { list: true } },
    ];
    const offered = new Set((await own.listTools()).tools.map(({ name }) => name));
    for (const each of calls.filter(({ name }) => offered.has(name))) {
      expect([each.name, JSON.stringify(await own.callTool(each))]).toEqual([
        each.name,
        expect.stringMatching(/third oak|Treasure/),
      ]);
      expect([each.name, JSON.stringify(await foreign.callTool(each))]).toEqual([
        each.name,
        expect.not.stringMatching(/third oak|Treasure/),
      ]);
    }
    const uri = `kb://documents/${documentId}`;
    expect(JSON.stringify(await own.readResource({ uri }))).toContain('third oak');
    await expect(foreign.readResource({ uri })).rejects.toThrow();
    expect(JSON.stringify(await own.listResources())).toContain(documentId);
    expect(JSON.stringify(await foreign.listResources())).not.toContain(documentId);
    const index = JSON.stringify(await foreign.readResource({ uri: 'kb://index' }));
    expect(index).not.toContain('Treasure');
    const complete = (client: Client) =>
      client.complete({
        ref: { type: 'ref/resource', uri: 'kb://documents/{document_id}' },
        argument: { name: 'document_id', value: 'Treas' },
      });
    expect((await complete(own)).completion.values).toEqual(['Treasure']);
    expect((await complete(foreign)).completion.values).toEqual([]);
    const counts = async (client: Client) =>
      ((await client.callTool({ name: 'corpus_status', arguments: {} })).structuredContent ?? {}) as {
        readonly documents: number;
        readonly chunks: number;
      };
    const total = (await ask(['GET', '/v3/documents'], bob)).body.total_entries;
    const seen = await counts(foreign);
    expect(seen.documents).toBe(total);
    expect(seen.chunks).toBeLessThan((await counts(await connect(bearer(KEY), era))).chunks);
  });
});

const pick = (path: string, { query, message }: { query: string; message: string }) =>
  path.endsWith('rag') ? { query } : { message };

async function connect(headers: Headers, era: 'legacy' | 'modern' = 'modern'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions(era));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}
