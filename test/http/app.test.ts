import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { ServiceError } from '../../src/errors.ts';
import { defaultHttpLimits } from '../../src/http/http-services.ts';
import { recordingRetriever } from './support/retrieval-fixtures.ts';
import { type RunningHttp, startHttp } from './support/start-http.ts';

const retriever = recordingRetriever();
let http: RunningHttp;

beforeAll(async () => {
  http = await startHttp({ retriever, limits: { ...defaultHttpLimits, body: 10_000 } });
});
afterAll(() => http.close());

const search = (body: unknown, init?: RequestInit) => http.post('/v3/retrieval/search', body, init);

describe('a request that cannot be served', () => {
  it.each<[string, string, RequestInit, number, RegExp]>([
    ['an unknown route', '/v3/nowhere', {}, 404, /no route GET \/v3\/nowhere/],
    ['a route without the prefix', '/retrieval/search', { method: 'POST' }, 404, /no route POST/],
    ['a wrong method', '/v3/retrieval/search', {}, 405, /GET is not supported at .*; use POST/],
    ['a path that does not decode', '/v3/documents/%E0%A4%A', {}, 400, /address contains an invalid percent-encoding/],
    [
      'a body that is not compressed as it says',
      '/v3/retrieval/search',
      { method: 'POST', body: 'plain', headers: { 'content-encoding': 'gzip' } },
      400,
      /could not be decompressed/,
    ],
    ['a document that is not a UUID', '/v3/documents/nope', {}, 422, /id: This must be a UUID/],
    ['a limit of 0', '/v3/documents?limit=0', {}, 422, /limit/],
    ['a limit of 1001', '/v3/documents?limit=1001', {}, 422, /limit/],
    ['a limit in words', '/v3/documents?limit=all', {}, 422, /limit: expected a number, received "all"/],
    ['half a document', '/v3/documents?limit=1.5', {}, 422, /limit: expected a whole number, received 1.5/],
    [
      'a part of the path that is no UUID, by its name in the API',
      '/v3/conversations/2acb499e-8428-543b-bd85-0d9098718220/messages/nope',
      { method: 'POST' },
      422,
      /message_id: This must be a UUID/,
    ],
    ['a negative offset', '/v3/conversations?offset=-1', {}, 422, /offset/],
    ['one bad id among ids', '/v3/documents?ids=2acb499e-8428-543b-bd85-0d9098718220&ids=x', {}, 422, /ids\.1/],
    ['a flag that is neither', '/v3/documents?owner_only=maybe', {}, 422, /owner_only: This must be true or false/],
  ])('is answered in JSON: %s', async (_, path, init, status, message) => {
    const response = await fetch(`${http.url}${path}`, init);
    expect(response.status).toBe(status);
    const body = await response.json();
    expect(body).toMatchObject({ message: expect.stringMatching(message), error_type: 'R2RException' });
    expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|\/src\//);
  });

  it('is 405 with an Allow header for a wrong method', async () => {
    const response = await fetch(`${http.url}/v3/documents/2acb499e-8428-543b-bd85-0d9098718220`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, DELETE']);
  });

  it.each<[string, string, RegExp, object]>([
    ['no JSON', '{"query": ', /not valid JSON/, { type: 'json_invalid', loc: ['body'] }],
    ['a list', '[]', /body/, { type: 'dict_type', loc: ['body'] }],
    ['no query', '{}', /query: Field required/, { type: 'missing', loc: ['body', 'query'] }],
    ['an empty body', '', /query: Field required/, { type: 'missing', loc: ['body', 'query'] }],
    ['a number as query', '{"query": 5}', /query/, { type: 'string_type', loc: ['body', 'query'], input: 5 }],
    [
      'a member that would vanish',
      '{"query":"q","search_settings":{"filters":{"__proto__":1}}}',
      /__proto__/,
      { type: 'json_invalid' },
    ],
    ['an unknown mode', '{"query":"q","search_mode":"psychic"}', /search_mode/, { type: 'enum' }],
  ])('is 422 with message and detail for a body that is %s', async (_, body, message, issue) => {
    const response = await search(body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      message: expect.stringMatching(message),
      detail: [expect.objectContaining(issue)],
    });
  });

  it('lists every invalid field at once', async () => {
    const response = await search({ query: 1, search_settings: { limit: 0 } });
    const body = (await response.json()) as { detail: { loc: string[] }[] };
    expect(body.detail.map(({ loc }) => loc.join('.'))).toEqual(['body.query', 'body.search_settings.limit']);
  });

  it('is 413 when the body is larger than the limit', async () => {
    const response = await search({ query: 'x'.repeat(20_000) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ message: 'The request body is too large.', code: 'too_large' });
  });

  it('is 415 when the body is packed in an unknown way', async () => {
    const response = await search('{}', { headers: { 'Content-Encoding': 'lzma' } });
    expect(response.status).toBe(415);
  });

  it('is 400 when the query is empty', async () => {
    const response = await search({ query: '  ' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: 'The query is empty.' });
  });

  it('is 400 when it is nested 5,000 levels deep', async () => {
    const response = await search(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: 'JSON nested deeper than 64 levels is not accepted.' });
  });

  it('is 400 when it carries both a token and an API key', async () => {
    const response = await search({ query: 'q' }, { headers: { Authorization: 'Bearer a', 'X-Api-Key': 'b' } });
    expect(response.status).toBe(400);
  });
});

describe('a request that can be served', () => {
  it.each<[string, RequestInit]>([
    ['no content type', { headers: {} }],
    ['a wrong content type', { headers: { 'Content-Type': 'text/plain' } }],
    ['a token', { headers: { Authorization: 'Bearer whatever' } }],
    ['members nobody knows', { body: '{"query":"q","colour":"blue"}' }],
  ])('is served with %s', async (_, init) => {
    const response = await search({ query: 'q' }, init);
    expect(response.status).toBe(200);
  });

  it('ignores the content type of a GET without a body', async () => {
    const response = await fetch(`${http.url}/v3/health`, { headers: { 'Content-Type': 'application/json' } });
    expect(response.status).toBe(200);
    const health = await response.json();
    expect(await (await fetch(`${http.url}/health`)).json()).toEqual(health);
    expect(health).toEqual({
      results: {
        message: 'ok',
        version: '0.0.0-test',
        model: 'builtin/extractive',
        embedder: 'builtin/lexical-hash-v1',
        index: { kind: 'memory', state: 'ready' },
      },
    });
  });

  it('answers at the root with the paths of the interfaces', async () => {
    const response = await fetch(http.url);
    expect(await response.json()).toMatchObject({ health: '/v3/health' });
  });

  it('is open to every origin, with credentials and any header', async () => {
    const preflight = await fetch(`${http.url}/v3/retrieval/search`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-anything',
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'x-anything',
      'access-control-allow-methods': expect.stringContaining('PATCH'),
    });
    const response = await search({ query: 'q' }, { headers: { Origin: 'https://app.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  it('has no header that names the framework', async () => {
    const response = await fetch(http.url);
    expect(response.headers.get('x-powered-by')).toBeNull();
  });

  it('carries a request id, the caller’s own if there is one', async () => {
    const own = await fetch(http.url, { headers: { 'X-Request-Id': 'mine-1' } });
    expect(own.headers.get('x-request-id')).toBe('mine-1');
    const given = await fetch(http.url);
    expect(given.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a failure inside', () => {
  it('is 500 without its message, which is logged', async () => {
    const broken = await startHttp({
      retriever: { search: () => Promise.reject(new Error('secret of /home/me')) },
    });
    try {
      const response = await broken.post('/v3/retrieval/search', { query: 'q' });
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain('secret');
      expect(broken.logged).toEqual([
        expect.objectContaining({
          level: 'error',
          fields: expect.objectContaining({
            requestId: response.headers.get('x-request-id'),
            err: expect.objectContaining({ message: 'secret of /home/me' }),
          }),
        }),
      ]);
    } finally {
      await broken.close();
    }
  });

  it.each<[ConstructorParameters<typeof ServiceError>[0], number]>([
    ['invalid_request', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['rate_limited', 429],
    ['unknown_model', 400],
    ['not_configured', 503],
    ['embedding_mismatch', 503],
    ['provider_failed', 502],
    ['store_failed', 503],
    ['timeout', 504],
  ])('that is known as %s is %i', async (code, status) => {
    const failing = await startHttp({
      retriever: { search: () => Promise.reject(new ServiceError(code, 'In words.', { retryAfter: 1.5 })) },
    });
    try {
      const response = await failing.post('/v3/retrieval/search', { query: 'q' });
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, '2']);
      expect(await response.json()).toEqual({
        message: 'In words.',
        error_type: 'R2RException',
        code,
        // R2R has this field here.
        ...(code === 'rate_limited' && { detail: 'In words.' }),
      });
    } finally {
      await failing.close();
    }
  });
});

describe('an error response', () => {
  it('shows the public message instead of details of the machine', async () => {
    const failing = await startHttp({
      retriever: {
        search: () =>
          Promise.reject(
            new ServiceError('store_failed', 'The database /home/ada/x.db is full.', {
              publicMessage: 'The database is full.',
              retryAfter: 2,
            }),
          ),
      },
    });
    onTestFinished(failing.close);
    const response = await failing.post('/v3/retrieval/search', { query: 'q' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toMatchObject({ message: 'The database is full.', code: 'store_failed' });
    expect(failing.logged).toMatchObject([{ fields: { err: { message: 'The database /home/ada/x.db is full.' } } }]);
  });

  it('is JSON by its content type also when a file was requested', async () => {
    const http = await startHttp({});
    onTestFinished(http.close);
    const response = await fetch(`${http.url}/docs/docs.css`, { headers: { range: 'bytes=5-1' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([416, 'application/json; charset=utf-8']);
    expect(await response.json()).toMatchObject({ code: 'invalid_request' });
  });
});

describe('the requester', () => {
  it('is the default admin without authentication, and sees everything', async () => {
    await search({ query: 'who', search_settings: { filters: { a: 1 } } });
    expect(retriever.asked.at(-1)?.settings.filter).toEqual({ kind: 'compare', field: 'a', op: 'eq', value: 1 });
  });

  it('narrows the search to what they may see', async () => {
    const narrowed = recordingRetriever();
    const otherUser = { ...defaultAdmin, userId: 'someone', isSuperuser: false, collectionIds: ['c'] };
    const guarded = await startHttp({ retriever: narrowed }, async () => otherUser);
    try {
      await guarded.post('/v3/retrieval/search', { query: 'q', search_settings: { filters: { a: 1 } } });
      expect(narrowed.asked[0]?.settings.filter).toEqual({
        kind: 'and',
        filters: [
          {
            kind: 'or',
            filters: [
              { kind: 'compare', field: 'owner_id', op: 'eq', value: 'someone' },
              { kind: 'overlap', field: 'collection_ids', values: ['c'] },
            ],
          },
          { kind: 'compare', field: 'a', op: 'eq', value: 1 },
        ],
      });
    } finally {
      await guarded.close();
    }
  });

  it('is determined by the credentials of the request', async () => {
    const shown: object[] = [];
    const guarded = await startHttp({ retriever }, async (credentials) => {
      shown.push(credentials);
      throw new ServiceError('unauthenticated', 'Log in first.');
    });
    try {
      const response = await guarded.post('/v3/retrieval/search', {}, { headers: { Authorization: 'Bearer abc' } });
      expect([response.status, shown]).toEqual([401, [{ bearer: 'abc', apiKey: undefined }]]);
      expect((await fetch(`${guarded.url}/v3/health`)).status).toBe(200);
    } finally {
      await guarded.close();
    }
  });
});
