import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Requests that no HTTP client sends, written to the socket of a real server.

const DEPTH = 5_000;
const LIST = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;
const OBJECT = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Header lines besides those that every request has. */
  readonly head: readonly string[];
  readonly version?: string;
}

/** Status and body of the answer. */
async function send(url: string, { method, path, body = '', head, version = '1.1' }: Sent): Promise<[number, string]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8').setTimeout(20_000);
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  const lines = [
    `${method} ${path} HTTP/${version}`,
    ...head,
    'Accept: application/json, text/event-stream, text/html',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // As bytes, so that header values can hold any.
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]));
  let answer = '';
  for await (const text of socket) {
    answer += text;
    // The MCP SDK keeps connections open in any case.
    const [head = '', rest = ''] = answer.split(/\r\n\r\n([\s\S]*)/);
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    if (length !== undefined && Buffer.byteLength(rest) >= Number(length)) break;
  }
  const [, status = '', rest = ''] = /^HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(answer) ?? [];
  return [Number(status), rest];
}

async function startServer(env: Readonly<Record<string, string>>): Promise<string> {
  const server = await startCitewell({ cwd: await temporaryFolder(), env });
  onTestFinished(() => server.kill());
  return server.url;
}

/** A request of every interface that is accepted with a proper Host. */
const ROUTES = [
  { method: 'POST', path: '/mcp', body: INITIALIZE },
  { method: 'POST', path: '/mcp/readonly', body: INITIALIZE },
  { method: 'GET', path: '/v3/health' },
  { method: 'POST', path: '/v3/retrieval/search', body: '{"query":"ferry"}' },
  { method: 'GET', path: '/v1/models' },
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/v3/openapi.json' },
];

const ODD_HOSTS: readonly (readonly string[])[] = [
  ['Host:'],
  ['Host: 127.0.0.1', 'Host: localhost'],
  ['Host: 127.0.0.1', 'Host: 127.0.0.1'],
  ['Host: local host'],
  ['Host: a\tb'],
  ['Host: ::1'],
  ['Host: [::zz]'],
  ['Host: [::1'],
  [`Host: ${'a'.repeat(300)}`],
  [`Host: ${'a'.repeat(8_000)}`],
  ['Host: b\xfccher.example'],
  [`Host: ${Buffer.from('bücher.example').toString('latin1')}`],
  ['Host: 127.0.0.1/page'],
  ['Host: 127.0.0.1?query'],
  ['Host: user@127.0.0.1'],
  ['Host: 127.0.0.1:99999'],
  ['Host: 127.0.0.1:-1'],
  ['Host: 127.0.0.1:'],
  ['Host: 999.999.999.999'],
  ['Host: %31'],
];

it.each([
  ['without authentication', {}],
  ['with authentication', { CITEWELL_AUTH: 'required' }],
])('answers invalid Host headers with 400 on every interface, %s', async (_, env) => {
  const url = await startServer(env);
  for (const host of ODD_HOSTS) {
    for (const version of ['1.1', '1.0']) {
      const statuses = await Promise.all(
        ROUTES.map(async (route) => [route.path, (await send(url, { ...route, head: host, version }))[0]]),
      );
      expect([version, host, statuses]).toEqual([version, host, ROUTES.map(({ path }) => [path, 400])]);
    }
  }
  const missing = await Promise.all(ROUTES.map(async (route) => (await send(url, { ...route, head: [] }))[0]));
  expect(missing).toEqual(ROUTES.map(() => 400));
});

it('needs a Host header in HTTP/1.0 as well where host names are checked', async () => {
  const [open, locked] = await Promise.all([startServer({}), startServer({ CITEWELL_AUTH: 'required' })]);
  for (const route of ROUTES) {
    const request = { ...route, head: [], version: '1.0' };
    expect(await send(open, request)).toEqual([400, expect.stringContaining('The Host header is missing.')]);
  }
  // With authentication host names are checked for MCP clients only; health checks of balancers may lack one.
  const [, , health] = ROUTES;
  expect(health && (await send(locked, { ...health, head: [], version: '1.0' }))[0]).toBe(200);
});

it('answers under the names of this machine', async () => {
  const url = await startServer({});
  for (const host of ['127.0.0.1', 'localhost:7272', '[::1]', 'LOCALHOST']) {
    const statuses = await Promise.all(
      ROUTES.map(async (route) => (await send(url, { ...route, head: [`Host: ${host}`] }))[0]),
    );
    expect([host, statuses]).toEqual([host, ROUTES.map(() => 200)]);
  }
});

it('answers JSON 5,000 levels deep with 400 on every interface', async () => {
  const url = await startServer({});
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_file_knowledge","arguments":{"query":"q","filters":${OBJECT}}}}`;
  const bodies = [LIST, OBJECT, `{"query":${LIST}}`, `{"query":"q","search_settings":{"filters":${OBJECT}}}`, call];
  const paths = [
    '/mcp',
    '/mcp/readonly',
    '/v3/retrieval/search',
    '/v3/retrieval/rag',
    '/v3/retrieval/agent',
    '/v3/retrieval/check',
    '/v3/conversations',
    '/v3/documents',
    '/v1/chat/completions',
    '/session',
  ];
  for (const path of paths) {
    for (const body of bodies) {
      const [status, answer] = await send(url, { method: 'POST', path, body, head: ['Host: 127.0.0.1'] });
      // The page's sign-in takes only small bodies.
      const isTooLarge = path === '/session' && status === 413;
      expect([path, body.slice(0, 40), isTooLarge ? 400 : status]).toEqual([path, body.slice(0, 40), 400]);
      expect(answer).not.toMatch(/\bat .*\.[jt]s:\d+/);
    }
  }
});
