import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageRoutes, unknownView } from '../../../src/http/routes/page.ts';
import { type HttpServer, listen } from '../../../src/http/serve.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

describe('the page', () => {
  let server: HttpServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'citewell-page-'));
    await mkdir(join(folder, 'page/assets'), { recursive: true });
    await writeFile(join(folder, 'page/index.html'), '<!doctype html><title>Page</title>');
    await writeFile(join(folder, 'page/assets/index-1.js'), 'export {};');
    await mkdir(join(folder, 'page/assets/pdf'));
    await writeFile(join(folder, 'page/assets/pdf/UniGB-UCS2-H.bcmap'), 'map');
    await writeFile(join(folder, 'secret.txt'), 'secret');
    const app = express();
    app.use(pageRoutes(join(folder, 'page')));
    app.get('/', (_request, response) => void response.json({ welcome: true }));
    app.use(unknownView(join(folder, 'page')));
    app.use((_request, response) => void response.status(404).json({ message: 'unknown' }));
    server = await listen(app, { host: '127.0.0.1', port: 0 }, 10_000);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const get = (path: string, accept = 'text/html') => fetch(server.url + path, { headers: { Accept: accept } });

  it('is served to clients that prefer HTML; others get JSON', async () => {
    const page = await get('/', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect([page.headers.get('content-type'), page.headers.get('vary')]).toEqual([
      'text/html; charset=utf-8',
      'Accept',
    ]);
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expect([accept, await (await get('/', accept)).json()]).toEqual([accept, { welcome: true }]);
    }
  });

  it('is served at the path of each view, with a strict content policy and revalidation', async () => {
    for (const path of ['/', '/library', '/search?q=a', '/settings', '/d/9fbe403b-c11c-5aae-8ade-ef22980c3ad1@v1']) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-cache']);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('is served with status 404 to a browser at an unknown address, but not to programs', async () => {
    const answerTo = async (path: string, accept?: string) => {
      const { status, headers } = await get(path, accept);
      return [status, headers.get('content-type')?.split(';')[0]];
    };
    expect(await answerTo('/documents')).toEqual([404, 'text/html']);
    expect(await answerTo('/documents', '*/*')).toEqual([404, 'application/json']);
    for (const path of ['/v3/nowhere', '/v1/nowhere', '/mcp/nowhere', '/session/nowhere']) {
      expect([path, ...(await answerTo(path))]).toEqual([path, 404, 'application/json']);
    }
  });

  it('lets browsers cache its files, whose names change with their content', async () => {
    const { status, headers } = await get('/assets/index-1.js', '*/*');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers.get('content-type')).toMatch(/javascript/);
  });

  it('serves the files that pdf.js loads on demand', async () => {
    const { status, headers } = await get('/assets/pdf/UniGB-UCS2-H.bcmap', '*/*');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=86400']);
  });

  it('serves no file from outside its folder', async () => {
    for (const path of [
      '/assets/pdf/..%2f..%2f..%2fsecret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/secret.txt',
    ]) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        // Not fetch, which would tidy the path up first.
        request(server.url + path, { path }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end();
      });
      expect([path, status !== undefined && status >= 400]).toEqual([path, true]);
    }
  });
});

describe('the session of the page', () => {
  let http: RunningHttp;
  beforeAll(async () => {
    http = await startCitewell({ isRequired: true, hasTestAdmin: true });
  });
  afterAll(() => http.close());

  const send = (path: string, method: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(http.url + path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const cookiesOf = (response: Response): string =>
    response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  const signIn = async () =>
    send('/session', 'POST', {}, { email: 'admin@example.com', password: 'change_me_immediately' });
  const own = { 'Sec-Fetch-Site': 'same-origin' };

  it('is in HttpOnly, SameSite cookies', async () => {
    const opened = await signIn();
    expect([opened.status, opened.headers.get('cache-control')]).toEqual([204, 'no-store']);
    for (const cookie of opened.headers.getSetCookie()) expect(cookie).toMatch(/HttpOnly.*SameSite=Strict/);
    const me = await send('/v3/users/me', 'GET', { ...own, Cookie: cookiesOf(opened) });
    expect(await me.json()).toMatchObject({ results: { email: 'admin@example.com' } });
    expect((await send('/session', 'POST', {}, { email: 'admin@example.com', password: 'wrong' })).status).toBe(401);
  });

  it('is renewed with new tokens, and ended by logout', async () => {
    const Cookie = cookiesOf(await signIn());
    const refreshed = await send('/session', 'PUT', { ...own, Cookie });
    expect(refreshed.status).toBe(204);
    const next = { ...own, Cookie: cookiesOf(refreshed) };
    expect((await send('/v3/users/me', 'GET', next)).status).toBe(200);
    const closed = await send('/session', 'DELETE', next);
    expect([closed.status, cookiesOf(closed)]).toEqual([204, 'citewell_access=; citewell_refresh=']);
    expect((await send('/v3/users/me', 'GET', next)).status).toBe(401);
    expect((await send('/session', 'PUT', own)).status).toBe(401);
  });

  it('counts as absent if its cookie is damaged', async () => {
    const damaged = await send('/v3/users/me', 'GET', { ...own, Cookie: 'citewell_access=%E0%A4%A' });
    expect([damaged.status, await damaged.json()]).toEqual([401, expect.objectContaining({ code: 'unauthenticated' })]);
  });

  it('is not opened by the form of another site, which could sign visitors in to its own account', async () => {
    const form = (headers: Record<string, string>) =>
      fetch(`${http.url}/session`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'text/plain' },
        body: '{"email": "admin@example.com", "password": "change_me_immediately", "=": ""}',
      });
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://elsewhere.example' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://elsewhere.example' },
      { Origin: 'null' },
    ]) {
      const refused = await form(headers);
      expect([headers, refused.status, refused.headers.getSetCookie()]).toEqual([headers, 403, []]);
    }
    expect((await form({ ...own, Origin: http.url })).status).toBe(204);
  });

  it('is ignored in cross-site requests', async () => {
    const Cookie = cookiesOf(await signIn());
    const post = (headers: Record<string, string>) =>
      send('/v3/collections', 'POST', { ...headers, Cookie }, { name: 'x' });
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect([site, (await post({ 'Sec-Fetch-Site': site })).status]).toEqual([site, 401]);
    }
    expect((await send('/v3/users/me', 'GET', { 'Sec-Fetch-Site': 'cross-site', Cookie })).status).toBe(401);
    expect((await post({ Origin: 'https://elsewhere.example' })).status).toBeGreaterThanOrEqual(401);
    expect((await post({})).status).toBe(401);
    expect((await post({ Origin: http.url })).status).toBe(200);
    expect((await post(own)).status).toBe(200);
  });
});
