import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { HttpServices, ServiceStatus } from '../../../src/http/http-services.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

let http: RunningHttp;

beforeAll(async () => {
  http = await startHttp({}, async () => {
    throw new Error('The pages of the documentation are public.');
  });
});
afterAll(() => http.close());

it('the description of the interface is served once the service answers again', async () => {
  let isDown = true;
  const status: HttpServices['status'] = async () => {
    if (isDown) throw new ServiceError('store_failed', 'The database restarts.');
    return { version: '1.2.3' } as ServiceStatus;
  };
  const recovering = await startHttp({ status });
  const describe = () => fetch(`${recovering.url}/v3/openapi.json`);
  expect((await describe()).status).toBe(503);
  isDown = false;
  expect(await (await describe()).json()).toMatchObject({ info: { version: '1.2.3' } });
  await recovering.close();
});

describe('the page of the documentation', () => {
  it('is made of files of the package, and runs no other script', async () => {
    const response = await fetch(`${http.url}/docs`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await response.text();
    expect(html).not.toMatch(/https?:\/\/|<style|<script(?![^>]*src=)|\son\w+=|\sstyle=/);
  });

  it('serves every file it needs, and no other', async () => {
    const files = await readdir(new URL('../../../src/page/docs', import.meta.url));
    for (const file of files.filter((name) => name !== 'index.html')) {
      const response = await fetch(`${http.url}/docs/${file}`);
      const text = await response.text();
      expect([file, response.status, response.headers.get('x-content-type-options')]).toEqual([file, 200, 'nosniff']);
      expect([file, /https?:\/\/|@import|innerHTML|outerHTML|insertAdjacentHTML|eval\(/.test(text)]).toEqual([
        file,
        false,
      ]);
      for (const [, wanted = ''] of text.matchAll(/from '\.\/([\w-]+\.js)'/g)) expect(files).toContain(wanted);
    }
    expect((await fetch(`${http.url}/docs/..%2f..%2fpackage.json`)).status).toBe(404);
    expect((await fetch(`${http.url}/docs/other.js`)).status).toBe(404);
    expect((await fetch(`${http.url}/docs`, { method: 'POST' })).status).toBe(405);
  });
});
