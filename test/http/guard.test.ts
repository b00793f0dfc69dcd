import { request } from 'node:http';
import type { RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rejectOtherOrigins } from '../../src/http/guard.ts';
import { type RunningHttp, startHttp } from './support/start-http.ts';

let server: RunningHttp;
let open: RunningHttp;
let mounted: RunningHttp;
beforeAll(async () => {
  const guarded: RequestHandler = (_request, response) => void response.json({});
  server = await startHttp({}, undefined, rejectOtherOrigins({ hosts: ['kb.test'], origins: ['app.test'] }), [
    { path: '/other', handler: guarded, isGuarded: true },
  ]);
  open = await startHttp({}, undefined, rejectOtherOrigins({ hosts: [], origins: ['*'] }));
  const handler: RequestHandler = (_request, response) => void response.json({});
  mounted = await startHttp({}, undefined, undefined, [{ path: '/mcp', handler }]);
});
afterAll(() => Promise.all([server.close(), open.close(), mounted.close()]));

/** The status, and the origins allowed to read the response. */
async function call(
  { port }: RunningHttp,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
  path = '/v3/health',
) {
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number | undefined, string | undefined]>();
  request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
    response.resume();
    resolve([response.statusCode, response.headers['access-control-allow-origin']]);
  })
    .on('error', reject)
    .end();
  return promise;
}

describe('a server without authentication', () => {
  it('checks the origin of requests to a guarded interface as of its own', async () => {
    expect(await call(server, { origin: 'https://app.test' }, 'POST', '/other')).toEqual([200, 'https://app.test']);
    expect(await call(server, { origin: 'https://evil.test' }, 'POST', '/other')).toEqual([403, undefined]);
  });

  it.each(['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443', 'https://app.test'])(
    'answers a page of %s, and lets it read the answer',
    async (origin) => {
      expect(await call(server, { origin })).toEqual([200, origin]);
      expect(await call(server, { origin }, 'OPTIONS')).toEqual([204, origin]);
    },
  );

  it.each(['https://evil.test', 'null', 'http://127.0.0.1.evil.test', 'https://xapp.test', 'file://'])(
    'refuses a page of %s before anything runs, also its preflight',
    async (origin) => {
      expect(await call(server, { origin })).toEqual([403, undefined]);
      expect(await call(server, { origin }, 'OPTIONS')).toEqual([403, undefined]);
      expect(await call(server, { origin }, 'DELETE')).toEqual([403, undefined]);
    },
  );

  it.each<[string, number]>([
    ['localhost:7272', 200],
    ['127.0.0.1', 200],
    ['[::1]:7272', 200],
    ['kb.test', 200],
    ['evil.test:7272', 403],
    ['127.0.0.1.evil.test', 403],
    ['127.0.0.1@evil.test', 400],
  ])('called as "%s" answers %i', async (host, expected) => {
    expect((await call(server, { host }))[0]).toBe(expected);
  });

  it.each(['[', 'localhost/..', 'user@localhost', 'localhost?x', 'localhost#', 'a b', 'localhost:99999', '1.2.3.4.5'])(
    'answers 400 for the invalid Host "%s", on every interface',
    async (host) => {
      for (const path of ['/v3/health', '/v1/models', '/mcp', '/']) {
        expect([path, (await call(mounted, { host }, 'GET', path))[0]]).toEqual([path, 400]);
      }
    },
  );

  it('answers all origins when configured, but only under allowed host names', async () => {
    expect((await call(open, { origin: 'https://evil.test' }))[0]).toBe(200);
    expect((await call(open, { origin: 'null' }))[0]).toBe(200);
    expect((await call(open, { host: 'evil.test' }))[0]).toBe(403);
  });
});
