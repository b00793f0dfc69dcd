import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function start(env: Readonly<Record<string, string>>) {
  const server = await startCitewell({ cwd: await temporaryFolder(), env });
  onTestFinished(() => server.kill());
  return server;
}

it('cuts off a body that takes longer than CITEWELL_REQUEST_SECONDS', async () => {
  const { url } = await start({ CITEWELL_REQUEST_SECONDS: '1' });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

it.each([
  ['believes', '127.0.0.1', 0],
  ['does not believe', '192.0.2.1', 1],
])('%s a proxy at 127.0.0.1 with CITEWELL_TRUSTED_PROXIES=%s', async (_, proxies, warnings) => {
  const server = await start({ CITEWELL_AUTH: 'required', CITEWELL_TRUSTED_PROXIES: proxies });
  for (const address of ['203.0.113.7', '203.0.113.8']) {
    const response = await fetch(`${server.url}/v3/users/login`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': address, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'username=ada%40example.org&password=wrong',
    });
    expect(response.status).toBe(401);
  }
  await server.end('SIGTERM');
  expect(server.stderr().split('not a trusted proxy').length - 1).toBe(warnings);
});
