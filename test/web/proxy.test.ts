import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { publicOnly } from '../../src/web/address-rules.ts';
import { createWebSearch } from '../../src/web/create-web-search.ts';
import { readOpenHost } from '../../src/web/open-hosts.ts';
import { createPageFetcher } from '../../src/web/page-fetcher.ts';
import { type ProxySettings, proxyFor } from '../../src/web/proxy.ts';
import { createResolve } from '../../src/web/resolve-name.ts';
import { brave } from '../../src/web/search/brave.ts';
import { openTunnel } from '../../src/web/tunnel.ts';
import { serveNames } from './name-server.ts';
import { serve } from './support.ts';

const { signal } = new AbortController();
const PUBLIC = '93.184.216.34';

/** A proxy that leads everything to one server, and refuses with that status if there is one. */
async function serveProxy(target: number, status = 200) {
  const requests: string[] = [];
  const credentials: (string | undefined)[] = [];
  /** What the first bytes in each tunnel were. */
  const sent: string[] = [];
  const proxy = createServer((incoming, response) => {
    note(incoming);
    const forwarded = request({ port: target, path: new URL(incoming.url ?? '').pathname, headers: incoming.headers });
    forwarded.on('response', (reply) => reply.pipe(response)).on('error', () => response.destroy());
    forwarded.end();
  });
  const note = ({ method, url, headers }: IncomingMessage) => {
    requests.push(`${method} ${url}`);
    credentials.push(headers['proxy-authorization']);
  };
  proxy.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    note(incoming);
    socket.on('error', () => undefined);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.once('data', (bytes) => sent.push(bytes.toString('latin1')));
    const onwards = connect(target, '127.0.0.1').on('error', () => socket.destroy());
    onTestFinished(() => void onwards.destroy());
    socket.pipe(onwards).pipe(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close().closeAllConnections();
  });
  const bound = proxy.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return { address: `127.0.0.1:${port}`, requests, credentials, sent };
}

interface Behind {
  readonly status?: number;
  readonly settings?: Partial<ProxySettings>;
  readonly open?: string;
  readonly user?: string;
}

const ZONE = {
  'site.example': [PUBLIC],
  'inside.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'wiki.intern': ['127.0.0.1'],
};

async function behindProxy({ status, settings, open, user = '' }: Behind = {}) {
  const site = await serve((incoming, response) => response.end(`for ${incoming.headers.host}`));
  const proxy = await serveProxy(site.port, status);
  const names = await serveNames(ZONE);
  const opened = open === undefined ? undefined : readOpenHost(open.replace('PORT', String(site.port)));
  const address = `http://${user}${proxy.address}`;
  const fetcher = createPageFetcher({
    rules: { ...publicOnly, open: opened === undefined ? [] : [opened] },
    proxy: { http: address, https: address, resolvesNames: false, ...settings },
    resolve: createResolve({ servers: [names.address], hostsFile: '/nowhere', askSystem: async () => [] }),
  });
  onTestFinished(() => fetcher.close());
  const get = async (url: string) => {
    const page = await fetcher.fetch(url, { signal });
    return page === 'unchanged' ? page : Buffer.from(page.bytes).toString();
  };
  return { site, proxy, names, get };
}

describe('behind a proxy', () => {
  it('a page is fetched from the address that was checked', async () => {
    const { proxy, get } = await behindProxy();
    expect(await get('http://site.example/a?b')).toBe('for site.example');
    expect(proxy.requests).toEqual([`CONNECT ${PUBLIC}:80`]);
  });

  it('an HTTPS page is requested by host name, inside the tunnel', async () => {
    const { proxy, get } = await behindProxy();
    // The server behind this proxy does not speak TLS.
    await expect(get('https://site.example/')).rejects.toMatchObject({ code: 'provider_failed' });
    expect(proxy.requests).toEqual([`CONNECT ${PUBLIC}:443`]);
    expect(proxy.sent[0]).toContain('site.example');
  });

  it.each([
    'http://inside.example/',
    'http://metadata.example/',
    'http://10.1.2.3/',
    'https://[::1]/',
    'http://localhost/',
  ])('non-public addresses are not requested: %s', async (url) => {
    const { proxy, get } = await behindProxy();
    await expect(get(url)).rejects.toMatchObject({ code: 'forbidden' });
    expect(proxy.requests).toEqual([]);
  });

  it.each(['wiki.intern:PORT', '127.0.0.0/8:PORT'])('this machine is reached directly: %s', async (open) => {
    const { site, proxy, get } = await behindProxy({ open });
    const host = open.startsWith('wiki') ? 'wiki.intern' : '127.0.0.1';
    expect(await get(`http://${host}:${site.port}/`)).toBe(`for ${host}:${site.port}`);
    expect(proxy.requests).toEqual([]);
  });

  it('the user name and password of its URL are sent, and shown nowhere', async () => {
    const accepted = await behindProxy({ user: 'ada:p%40ss@' });
    await accepted.get('http://site.example/');
    expect(accepted.proxy.credentials).toEqual([`Basic ${Buffer.from('ada:p@ss').toString('base64')}`]);
    const refused = await behindProxy({ user: 'ada:p%40ss@', status: 407 });
    const failure: Error = await refused.get('http://site.example/').then(
      () => expect.fail(),
      (error) => error,
    );
    expect(failure.message).toMatch(/through the proxy 127\.0\.0\.1:\d+: it asks for a user name .* \(status 407\)/);
    expect(failure.message).not.toMatch(/p(?:%40|@)ss/);
  });

  it('a password may hold a per cent sign', async () => {
    const { proxy, get } = await behindProxy({ user: 'ada:50%@' });
    await get('http://site.example/');
    expect(proxy.credentials).toEqual([`Basic ${btoa('ada:50%')}`]);
  });

  it('a refusal by the proxy names the setting for proxies that accept only host names', async () => {
    const { get } = await behindProxy({ status: 403 });
    await expect(get('http://site.example/')).rejects.toThrow(/status 403.*CITEWELL_PROXY_RESOLVES=true/);
    await expect(get('http://nowhere.example/')).rejects.toThrow(/no host named nowhere.*CITEWELL_PROXY_RESOLVES=true/);
  });

  it('that resolves names, names are not resolved locally, and IP addresses are still checked', async () => {
    const { proxy, names, get } = await behindProxy({ settings: { resolvesNames: true }, user: 'ada:pass@' });
    expect(await get('http://nowhere.example/a')).toBe('for nowhere.example');
    await expect(get('https://nowhere.example/')).rejects.toMatchObject({ code: 'provider_failed' });
    expect(proxy.requests).toEqual(['GET http://nowhere.example/a', 'CONNECT nowhere.example:443']);
    expect(proxy.credentials).toEqual(Array.from({ length: 2 }, () => `Basic ${btoa('ada:pass')}`));
    for (const url of [
      'http://10.1.2.3/',
      'http://metadata.google.internal/',
      'http://localhost/',
      'http://site.example:22/',
    ])
      await expect(get(url)).rejects.toMatchObject({ code: 'forbidden' });
    expect(proxy.requests).toHaveLength(2);
    expect(names.questions).toEqual([]);
  });

  it.each(['socks5://127.0.0.1:1080', 'http://'])(
    'of an unsupported kind, it is refused with a clear message: %s',
    async (http) => {
      const { get } = await behindProxy({ settings: { http } });
      await expect(get('http://site.example/')).rejects.toThrow(/^HTTP_PROXY is not an http or https address/);
    },
  );

  it('that does not answer is named', async () => {
    const closed = await serveProxy(9);
    const { get } = await behindProxy({ settings: { http: `http://ada:pass@${closed.address.replace(/\d+$/, '9')}` } });
    await expect(get('http://site.example/')).rejects.toThrow(
      'proxy 127.0.0.1:9: it cannot be connected to (ECONNREFUSED)',
    );
  });

  it('that accepts connections and stays silent is named', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const tunnel = openTunnel(
      new URL(`http://127.0.0.1:${port}`),
      { to: PUBLIC, port: 443, host: 'site.example' },
      200,
    );
    await expect(tunnel).rejects.toThrow(
      `site.example was not reached through the proxy 127.0.0.1:${port}: it does not answer.`,
    );
  });

  it('search services are asked through it', async () => {
    const proxy = await serveProxy(9);
    const settings = { https: `http://ada:50%@${proxy.address}`, resolvesNames: false };
    const search = createWebSearch({ engines: [brave('key')], proxy: settings });
    onTestFinished(() => search.close());
    const query = { text: 'x', limit: 1, includeDomains: [], excludeDomains: [] };
    await expect(search.search(query, signal)).rejects.toMatchObject({ code: 'provider_failed' });
    expect(proxy.requests).toEqual(['CONNECT api.search.brave.com:443']);
    expect(proxy.credentials).toEqual([`Basic ${btoa('ada:50%')}`]);
  });
});

describe('NO_PROXY', () => {
  it.each([
    ['', 'http://site.example/', true],
    ['*', 'http://site.example/', false],
    ['site.example', 'http://site.example/', false],
    ['.example', 'http://site.example/', false],
    ['*.example', 'http://site.example/', false],
    ['example', 'http://site.example/', false],
    ['ample', 'http://site.example/', true],
    ['other.example, site.example', 'http://site.example/', false],
    ['site.example:8080', 'http://site.example/', true],
    ['site.example:80', 'http://site.example/', false],
    ['10.0.0.0/8', 'http://10.2.3.4/', false],
    ['10.0.0.0/8', 'http://11.2.3.4/', true],
    ['fd00::1', 'http://[fd00::1]/', false],
    ['', 'http://127.0.0.1/', false],
    ['', 'http://127.9.9.9:8080/', false],
    ['', 'http://[::1]/', false],
    ['', 'http://localhost:8080/', false],
    ['', 'http://app.localhost/', false],
  ])('%j: does %s go through the proxy? %s', (except, url, expected) => {
    const settings = { http: 'proxy.example:3128', except, resolvesNames: false };
    expect(proxyFor(new URL(url), settings)?.href).toBe(expected ? 'http://proxy.example:3128/' : undefined);
  });
});
