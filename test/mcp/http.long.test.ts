import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { ServiceError } from '../../src/errors.ts';
import { PATIENT } from '../support/patience.ts';
import { textOf } from './support/citewell-mcp.ts';
import { startInProcess } from './support/in-process.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function startSession(url: string): Promise<string> {
  const response = await post(url, INITIALIZE);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

describe('/mcp', () => {
  it('serves the client that most hosts still have', async () => {
    const mcp = await startInProcess();
    await mcp.add('France', 'The capital of France is Paris.');
    const client = new FormerClient({ name: 'test', version: '1.0.0' });
    await client.connect(new FormerTransport(new URL(mcp.url)) as never);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.length).toBeGreaterThan(6);
    const result = await client.callTool({ name: 'search_file_knowledge', arguments: { query: 'capital' } });
    expect(textOf(result)).toContain('Paris');
    expect((await client.readResource({ uri: 'kb://index' })).contents).toHaveLength(1);
    expect((await client.listPrompts()).prompts).toHaveLength(5);
    await client.ping();
  });

  it.each([
    ['bad JSON', '{"jsonrpc":', {}, 400, -32_700],
    ['bottomless JSON', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, {}, 400, -32_600],
    [
      'bottomless arguments',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
      {},
      400,
      -32_600,
    ],
    ['another type than JSON', '<xml/>', { 'content-type': 'text/xml' }, 415, -32_000],
    ['a body over the limit', JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(4_100_000) }), {}, 413, -32_600],
    ['a request outside of a session', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, 400, -32_000],
    ['an unknown session', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': 'x' }, 404, -32_001],
    ['a page of elsewhere', INITIALIZE, { origin: 'https://evil.example' }, 403, -32_000],
  ])('answers %s in JSON-RPC', async (_what, body, headers, status, code) => {
    const mcp = await startInProcess();
    const response = await post(mcp.url, body, headers as Record<string, string>);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it('says what to do about a message over the limit', async () => {
    const mcp = await startInProcess({ http: { limits: { maxBodyBytes: 1_000 } } });
    const refused = await post(mcp.url, { ...INITIALIZE, padding: 'x'.repeat(2_000) });
    const { error } = (await refused.json()) as { readonly error: { readonly message: string } };
    expect(error.message).toContain('more than the 1000 bytes that are read. Send less at once');
  });

  it('refuses HTTP methods that the protocol does not use', async () => {
    const mcp = await startInProcess();
    const { hostname, port, pathname } = new URL(mcp.url);
    const statusOf = async (method: string) => {
      const { request } = await import('node:http');
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      request({ hostname, port, path: pathname, method })
        .on('response', (response) => {
          response.resume();
          resolve([response.statusCode, response.headers.allow]);
        })
        .on('error', reject)
        .end();
      return promise;
    };
    for (const method of ['TRACE', 'PUT', 'QUERY']) expect(await statusOf(method)).toEqual([405, 'GET, POST, DELETE']);
  });

  it('refuses foreign host names, and accepts configured ones', async () => {
    const call = async (mcp: { readonly url: string }) => {
      // Only node:http can send a Host header other than the target's.
      const { request } = await import('node:http');
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      request(mcp.url, { method: 'POST', headers: { ...HEADERS, host: 'kb.example.org' } })
        .on('response', (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
        .on('error', reject)
        .end(JSON.stringify(INITIALIZE));
      return promise;
    };
    expect(await call(await startInProcess())).toBe(403);
    expect(await call(await startInProcess({ http: { allowedHosts: ['kb.example.org'] } }))).toBe(200);
  });

  it('requires authentication, and answers others with a challenge', async () => {
    const mcp = await startInProcess({
      http: {
        authenticate: async ({ bearer }) => {
          if (bearer === 'right') return defaultAdmin;
          throw new ServiceError('unauthenticated', 'The key is missing or wrong.');
        },
      },
    });
    const refused = await post(mcp.url, INITIALIZE, { authorization: 'Bearer wrong' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect((await post(mcp.url, INITIALIZE, { authorization: 'Bearer right' })).status).toBe(200);
  });

  it('limits a session to the user who started it', async () => {
    const mcp = await startInProcess({
      http: { authenticate: async ({ bearer }) => ({ ...defaultAdmin, userId: bearer ?? '' }) },
    });
    const begun = await post(mcp.url, INITIALIZE, { authorization: 'Bearer one' });
    await begun.text();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await post(mcp.url, list, { ...session, authorization: 'Bearer one' })).status).toBe(200);
    expect((await post(mcp.url, list, { ...session, authorization: 'Bearer two' })).status).toBe(404);
  });

  it('checks permissions with each request, not only at the start of a session', async () => {
    let isSuperuser = true;
    const mcp = await startInProcess({
      http: { authenticate: async () => ({ ...defaultAdmin, userId: 'ada', collectionIds: [], isSuperuser }) },
    });
    const session = { 'mcp-session-id': await startSession(mcp.url) };
    const list = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'corpus_status', arguments: { list: true } },
    };
    await mcp.add('lighthouse', 'A light stands on Skerry.');
    const seen = async () => (await (await post(mcp.url, list, session)).text()).includes('lighthouse');
    expect(await seen()).toBe(true);
    isSuperuser = false;
    expect(await seen()).toBe(false);
  });

  it('ends a notification stream when its user loses access', async () => {
    let isActive = true;
    const mcp = await startInProcess({
      http: {
        limits: { recheckMs: 20 },
        authenticate: async () => {
          if (isActive) return defaultAdmin;
          throw new ServiceError('unauthenticated', 'The user was deactivated.');
        },
      },
    });
    const session = await startSession(mcp.url);
    const stream = await fetch(mcp.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    const reader = stream.body?.getReader();
    const ended = (async () => {
      for (;;) if ((await reader?.read())?.done !== false) return 'ended';
    })().catch(() => 'ended');
    const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds, 'open'));
    expect(await Promise.race([ended, later(100)])).toBe('open');
    isActive = false;
    expect(await Promise.race([ended, later(5_000)])).toBe('ended');
  });

  it('can be called by pages of allowed origins, and only by those', async () => {
    const mcp = await startInProcess({
      http: {
        allowedOrigins: ['host.example'],
        authenticate: async ({ bearer }) => {
          if (bearer === 'right') return defaultAdmin;
          throw new ServiceError('unauthenticated', 'The key is missing or wrong.');
        },
      },
    });
    const origin = 'https://host.example';
    const preflight = (from: string) =>
      fetch(mcp.url, {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,mcp-session-id',
        },
      });
    const { status, headers } = await preflight(origin);
    expect([status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')]).toEqual([
      204,
      origin,
      'authorization,mcp-session-id',
    ]);
    const begun = await post(mcp.url, INITIALIZE, { origin, authorization: 'Bearer right' });
    expect(begun.headers.get('access-control-allow-origin')).toBe(origin);
    expect(begun.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
    const refused = await post(mcp.url, INITIALIZE, { origin });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    const foreign = await preflight('https://evil.example');
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('answers all origins when configured', async () => {
    const open = await startInProcess({ http: { allowedOrigins: ['*'] } });
    expect((await post(open.url, INITIALIZE, { origin: 'https://anywhere.test' })).status).toBe(200);
  });

  it('applies rate limits to tool calls', async () => {
    const counted: string[] = [];
    const mcp = await startInProcess({
      http: {
        admit: async (_principal, route) => {
          counted.push(route);
          if (counted.length > 1) throw new ServiceError('rate_limited', 'Too much.', { retryAfter: 7 });
        },
      },
    });
    const session = { 'mcp-session-id': await startSession(mcp.url) };
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'corpus_status', arguments: {} } };
    expect((await post(mcp.url, call, session)).status).toBe(200);
    const refused = await post(mcp.url, call, session);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect(counted).toEqual(['POST /mcp', 'POST /mcp']);
  });

  it('counts each of several concurrent calls', async () => {
    let counted = 0;
    const mcp = await startInProcess({
      http: {
        admit: async () => {
          if (++counted > 2) throw new ServiceError('rate_limited', 'Too much.');
        },
      },
    });
    const session = { 'mcp-session-id': await startSession(mcp.url) };
    const calls = [2, 3, 4].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'corpus_status', arguments: {} },
    }));
    expect((await post(mcp.url, calls, session)).status).toBe(429);
    expect(counted).toBe(3);
  });

  it.each(['2025-06-18', '2025-11-25'])('ends the stream of a cancelled request (%s)', async (protocolVersion) => {
    const started = Promise.withResolvers<void>();
    const never = Promise.withResolvers<never>();
    const errors: Error[] = [];
    const mcp = await startInProcess({
      http: { onError: (error) => errors.push(error) },
      change: ({ retriever }) => ({
        retriever: {
          ...retriever,
          async search() {
            started.resolve();
            return never.promise;
          },
        },
      }),
    });
    const initialized = await post(mcp.url, {
      ...INITIALIZE,
      params: { ...INITIALIZE.params, protocolVersion },
    });
    await initialized.text();
    const session = { 'mcp-session-id': initialized.headers.get('mcp-session-id') ?? '' };
    const cancel = (requestId: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    });
    const params = { name: 'search_file_knowledge', arguments: { query: 'capital' } };
    const call = post(mcp.url, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, session);
    await started.promise;
    expect((await post(mcp.url, cancel(7), session)).status).toBe(202);
    expect(await (await call).text()).toContain('"id":7');

    // In a batch with others, unknown, and after its answer.
    const batch = [
      { jsonrpc: '2.0', id: 8, method: 'tools/call', params },
      cancel(8),
      { jsonrpc: '2.0', id: 9, method: 'ping' },
    ];
    const answers = await (await post(mcp.url, batch, session)).text();
    for (const id of [8, 9]) expect(answers).toContain(`"id":${id}`);
    for (const id of [9, 10]) expect((await post(mcp.url, cancel(id), session)).status).toBe(202);
    expect(errors).toEqual([]);
  });

  it('does not begin a call whose cancellation has overtaken it', async () => {
    const counted = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    let searches = 0;
    const mcp = await startInProcess({
      // The rate limit applies to calls, not to cancellations.
      http: {
        admit: () => {
          arrived.resolve();
          return counted.promise;
        },
      },
      change: ({ retriever }) => ({
        retriever: {
          ...retriever,
          search(...parameters) {
            searches++;
            return retriever.search(...parameters);
          },
        },
      }),
    });
    const session = { 'mcp-session-id': await startSession(mcp.url) };
    const params = { name: 'search_file_knowledge', arguments: { query: 'capital' } };
    const callWith = async (id: number) =>
      (await post(mcp.url, { jsonrpc: '2.0', id, method: 'tools/call', params }, session)).text();
    const overtaken = callWith(7);
    await arrived.promise;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await post(mcp.url, cancel, session)).status).toBe(202);
    counted.resolve();
    expect(await overtaken).toContain('"message":"Cancelled."');
    expect(searches).toBe(0);
    // A client that numbers its requests anew is not affected by a cancellation that came too late.
    expect(await callWith(8)).toContain('"result"');
    expect((await post(mcp.url, { ...cancel, params: { requestId: 8 } }, session)).status).toBe(202);
    for (const id of [7, 8]) expect(await callWith(id)).toContain('"result"');
    expect(searches).toBe(3);
  });

  it('refuses requests with the id of another one', async () => {
    const asked = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    const mcp = await startInProcess({
      change: ({ retriever }) => ({
        retriever: {
          ...retriever,
          async search(...parameters) {
            asked.resolve();
            await found.promise;
            return retriever.search(...parameters);
          },
        },
      }),
    });
    const session = { 'mcp-session-id': await startSession(mcp.url) };
    const ping = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const repeated = await post(mcp.url, [ping(1), ping(2), ping(1)], session);
    expect(repeated.status).toBe(400);
    const message = 'Invalid Request: another request has the id 1; give each its own.';
    expect(await repeated.json()).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } });
    expect(await (await post(mcp.url, [ping(1), ping('1'), ping(2)], session)).text()).toContain('"id":"1"');

    const params = { name: 'search_file_knowledge', arguments: { query: 'capital' } };
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params };
    const first = post(mcp.url, call, session);
    await asked.promise;
    for (const body of [call, [ping(4), ping(3)]]) expect((await post(mcp.url, body, session)).status).toBe(400);
    found.resolve();
    expect(await (await first).text()).toContain('"result"');
    // The id is free again, as are those of a refused batch.
    expect(await (await post(mcp.url, [ping(3), ping(4)], session)).text()).toContain('"id":4');
  });

  it('frees the server of a session that could not be initialized', async () => {
    let open = 0;
    const mcp = await startInProcess({
      http: {
        createServer: () => {
          const server = new McpServer({ name: 'test', version: '1' }, { capabilities: { resources: {} } });
          open++;
          server.server.onclose = () => open--;
          return server;
        },
      },
    });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const body of [{ ...INITIALIZE, params: {} }, [INITIALIZE, ping], [INITIALIZE, { ...ping, id: 2 }]]) {
      expect((await post(mcp.url, body)).status).toBe(400);
    }
    expect((await post(mcp.url, INITIALIZE, { accept: 'application/json' })).status).toBe(406);
    await expect.poll(() => open, PATIENT).toBe(0);
    await startSession(mcp.url);
    expect(open).toBe(1);
  });

  it('drops the oldest sessions above the limit', async () => {
    const mcp = await startInProcess({ http: { limits: { maxSessionsPerUser: 2 } } });
    const first = await startSession(mcp.url);
    const second = await startSession(mcp.url);
    const third = await startSession(mcp.url);
    const statuses = [await statusOf(mcp.url, first), await statusOf(mcp.url, second), await statusOf(mcp.url, third)];
    expect(statuses).toEqual([404, 200, 200]);
  });

  it('drops idle sessions', async () => {
    const mcp = await startInProcess({ http: { limits: { idleMs: 400 } } });
    const session = await startSession(mcp.url);
    await expect.poll(() => statusOf(mcp.url, session), { ...PATIENT, interval: 1_000 }).toBe(404);
  });
});

/** The status of a request in that session. */
async function statusOf(url: string, session: string): Promise<number> {
  const response = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': session });
  await response.text();
  return response.status;
}
