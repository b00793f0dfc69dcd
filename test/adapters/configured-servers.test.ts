import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { watchConfiguredServers } from '../../src/adapters/configured-servers.ts';
import { loadConfig } from '../../src/config.ts';

const silent = (env: Readonly<Record<string, string>>) =>
  watchConfiguredServers(loadConfig({ env: { CITEWELL_LOCAL_MODELS: 'off', ...env }, cwd: '/nowhere' }))();

async function startServer() {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => new Promise((resolve) => server.close(resolve));
  onTestFinished(async () => void (await close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close, requests: () => requests };
}

it('names the configured servers that do not answer', async () => {
  const [live, ended] = [await startServer(), await startServer()];
  await ended.close();
  expect(await silent({})).toEqual([]);
  expect(await silent({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${live.url}/v1`, SEARXNG_URL: ended.url })).toEqual([
    expect.stringMatching(/^SEARXNG_URL: http:\S+ does not answer \(ECONNREFUSED\)\.$/),
  ]);
  const local = { CITEWELL_LOCAL_MODELS: `lmstudio=${ended.url}` };
  expect(await silent(local)).toEqual([]);
  expect(await silent({ ...local, CITEWELL_MODEL: 'lmstudio/qwen', CITEWELL_FAST_MODEL: 'lmstudio/qwen' })).toEqual([
    expect.stringMatching(/^CITEWELL_MODEL \(lmstudio\/qwen\): /),
  ]);
  expect(await silent({ CITEWELL_PROVIDERS: `box=${ended.url.replace('//', '//ann:secret@')}` })).toEqual([
    expect.not.stringContaining('secret'),
  ]);
});

it('asks each server once for several requests in a row', async () => {
  const live = await startServer();
  const env = { CITEWELL_PROVIDERS: `box=${live.url}/v1`, SEARXNG_URL: live.url };
  const ask = watchConfiguredServers(loadConfig({ env, cwd: '/nowhere' }));
  expect([...(await ask()), ...(await ask())]).toEqual([]);
  expect(live.requests()).toBe(1);
});
