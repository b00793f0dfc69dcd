import { describe, expect, it, onTestFinished } from 'vitest';
import { type AddressRules, checkAddress, checkResolved, publicOnly } from '../../src/web/address-rules.ts';
import { readOpenHost } from '../../src/web/open-hosts.ts';
import { createPageFetcher } from '../../src/web/page-fetcher.ts';
import type { Resolve } from '../../src/web/resolve-name.ts';
import { serve } from './support.ts';

const { signal } = new AbortController();

/** A canary: an internal server that must never be reached, on every address of this machine. */
async function canary() {
  const inside = await serve((_, response) => response.end('the secret'), '::');
  return inside;
}

interface Guarded {
  /** Ports allowed besides 80 and 443, so that the port check is not what blocks the request. */
  readonly port: number;
  readonly open?: readonly string[];
  readonly resolve?: Resolve;
}

const noName: Resolve = async (host) => {
  throw new Error(`no test may ask for ${host}`);
};

function fetcherFor({ port, open = [], resolve = noName }: Guarded) {
  const rules: AddressRules = {
    ...publicOnly,
    ports: new Set([80, 443, port]),
    open: open.map((entry) => {
      const read = readOpenHost(entry);
      if (read === undefined) throw new Error(`${entry} is no entry`);
      return read;
    }),
  };
  const fetcher = createPageFetcher({ rules, resolve });
  onTestFinished(() => fetcher.close());
  return fetcher;
}

/** PORT stands for the canary's port. */
const LITERALS = `
http://127.0.0.1:PORT/
http://127.0.0.1:PORT
http://127.1:PORT/
http://127.0.1:PORT/
http://127.255.255.254:PORT/
http://2130706433:PORT/
http://0x7f000001:PORT/
http://0x7f.0x0.0x0.0x1:PORT/
http://0x7f.1:PORT/
http://0x7F.0.0.1:PORT/
http://0177.0.0.1:PORT/
http://0177.0.0.01:PORT/
http://017700000001:PORT/
http://00000177.0.0.1:PORT/
http://127.0.0.1.:PORT/
http://127。0。0。1:PORT/
http://１２７.０.０.１:PORT/
http://①②⑦.⓪.⓪.①:PORT/
http://%31%32%37.0.0.1:PORT/
http://127.0.0.1%2e:PORT/
http://0:PORT/
http://0.0.0.0:PORT/
http://0x0:PORT/
http://00:PORT/
http://[::1]:PORT/
http://[0:0:0:0:0:0:0:1]:PORT/
http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/
http://[::]:PORT/
http://[::ffff:127.0.0.1]:PORT/
http://[::ffff:7f00:1]:PORT/
http://[0:0:0:0:0:ffff:7f00:0001]:PORT/
http://[::FFFF:7F00:1]:PORT/
http://[::127.0.0.1]:PORT/
http://[::7f00:1]:PORT/
http://[64:ff9b::7f00:1]:PORT/
http://[64:ff9b::127.0.0.1]:PORT/
http://[64:ff9b:1::7f00:1]:PORT/
http://[2002:7f00:1::]:PORT/
http://[2002:7f00:1::1]:PORT/
http://[2001:0:7f00:1::]:PORT/
http://[::ffff:0:127.0.0.1]:PORT/
http://[fe80::1]:PORT/
http://[fec0::1]:PORT/
http://[fc00::1]:PORT/
http://[fd12:3456:789a::1]:PORT/
http://[fd00:ec2::254]:PORT/latest/meta-data/
http://[ff02::1]:PORT/
http://[100::1]:PORT/
http://[2001:db8::1]:PORT/
http://[3fff::1]:PORT/
http://[5f00::1]:PORT/
http://[4000::1]:PORT/
http://[::ffff:10.0.0.1]:PORT/
http://[::ffff:169.254.169.254]:PORT/
http://10.0.0.1:PORT/
http://10.255.255.255:PORT/
http://100.64.0.1:PORT/
http://100.100.100.200:PORT/latest/meta-data/
http://169.254.169.254:PORT/latest/meta-data/iam/security-credentials/
http://169.254.170.2:PORT/v2/credentials
http://2852039166:PORT/latest/meta-data/
http://0xa9fea9fe:PORT/
http://0251.0376.0251.0376:PORT/
http://172.16.0.1:PORT/
http://172.31.255.255:PORT/
http://192.168.0.1:PORT/
http://192.168.1.1:PORT/
http://3232235777:PORT/
http://192.0.0.192:PORT/
http://192.0.2.1:PORT/
http://192.88.99.1:PORT/
http://198.18.0.1:PORT/
http://198.51.100.1:PORT/
http://203.0.113.1:PORT/
http://224.0.0.1:PORT/
http://239.255.255.250:PORT/
http://240.0.0.1:PORT/
http://255.255.255.255:PORT/
https://127.0.0.1:PORT/
https://[::1]:PORT/
http:127.0.0.1:PORT/
http:/127.0.0.1:PORT/
http:///127.0.0.1:PORT/
http:\\\\127.0.0.1:PORT\\
 http://127.0.0.1:PORT/
http://127.0.0.1:PORT/#@example.org/
http://127.0.0.1:PORT?@example.org/
http://127.0.0.1:PORT\\@example.org/
http://:@127.0.0.1:PORT/
http://localhost:PORT/
http://LOCALHOST:PORT/
http://localhost.:PORT/
http://sub.localhost:PORT/
`
  .split('\n')
  .filter((line) => line.trim() !== '');

const MALFORMED = [
  'http://user:secret@127.0.0.1:PORT/',
  'http://example.org@127.0.0.1:PORT/',
  'http://example.org%40127.0.0.1:PORT/',
  'http://user:secret@[::1',
  'http://127.0.0.1:PORT@127.0.0.1:PORT/',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_GET',
  'dict://127.0.0.1:PORT/',
  'data:text/html,hello',
  'javascript:alert(1)',
  'blob:http://127.0.0.1:PORT/x',
  'view-source:http://127.0.0.1:PORT/',
  'jar:http://127.0.0.1:PORT!/',
  'ws://127.0.0.1:PORT/',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'http://',
  'http://127.0.0.1:99999/',
  'http://[::1',
  '',
];

/** Addresses a name may be made to resolve to. */
const RESOLUTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['loopback', ['127.0.0.1']],
  ['loopback in IPv6', ['::1']],
  ['mapped loopback', ['::ffff:127.0.0.1']],
  ['a metadata service', ['169.254.169.254']],
  ['a private network', ['10.1.2.3']],
  ['an address of NAT64', ['64:ff9b::7f00:1']],
  ['a 6to4 address', ['2002:7f00:1::']],
  ['nothing of this world', ['0.0.0.0']],
  ['one public and one private address', ['8.8.8.8', '127.0.0.1']],
  ['no address at all', []],
];

const answer = (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a forbidden address', () => {
  it('is tested with at least eighty vectors', () => {
    expect(new Set([...LITERALS, ...MALFORMED]).size + RESOLUTIONS.length).toBeGreaterThanOrEqual(120);
  });

  it('is never contacted, however an internal address is spelled', async () => {
    const inside = await canary();
    const fetcher = fetcherFor(inside);
    for (const literal of LITERALS) {
      const address = literal.replaceAll('PORT', String(inside.port));
      const outcome = await fetcher.fetch(address, { signal }).catch((error: unknown) => error);
      expect({ address, outcome }).toMatchObject({ outcome: { name: 'ServiceError' } });
      expect(['forbidden', 'invalid_request']).toContain((outcome as { code: string }).code);
    }
    expect(inside.connections()).toBe(0);
  });

  it('is any that is not http, and any with credentials', async () => {
    const inside = await canary();
    const fetcher = fetcherFor(inside);
    for (const vector of MALFORMED) {
      const address = vector.replaceAll('PORT', String(inside.port));
      const outcome = await fetcher.fetch(address, { signal }).catch((error: unknown) => error);
      expect({ address, outcome }).toMatchObject({ outcome: { code: 'invalid_request' } });
      expect((outcome as Error).message).not.toContain('secret');
    }
    expect(inside.connections()).toBe(0);
  });

  it.each(RESOLUTIONS)('is a name that resolves to %s', async (_, addresses) => {
    const inside = await canary();
    const fetcher = fetcherFor({ ...inside, resolve: async () => answer(addresses) });
    for (const scheme of ['http', 'https']) {
      await expect(fetcher.fetch(`${scheme}://inside.example:${inside.port}/`, { signal })).rejects.toMatchObject({
        name: 'ServiceError',
      });
    }
    expect(inside.connections()).toBe(0);
  });

  it('is a name that resolves differently for two connections (DNS rebinding)', async () => {
    const inside = await canary();
    const external = await serve(
      (_, response) => response.writeHead(200, { connection: 'close', 'content-type': 'text/plain' }).end('fine'),
      '127.0.0.2',
    );
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['::1'], ['127.0.0.2', '127.0.0.1']];
    const resolve: Resolve = async () => answer(answers.shift() ?? ['127.0.0.1']);
    const fetcher = fetcherFor({ port: inside.port, open: [`127.0.0.2:${external.port}`], resolve });
    const address = `http://rebinding.example:${external.port}/`;
    expect(await fetcher.fetch(address, { signal })).toMatchObject({ mediaType: 'text/plain' });
    for (let time = 0; time < 4; time++) {
      await expect(fetcher.fetch(address, { signal })).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(external.connections()).toBe(1);
    expect(inside.connections()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('is the target of a %i redirect', async (status) => {
    const inside = await canary();
    const external = await serve((request, response) => {
      const target = decodeURIComponent(request.url?.slice(1) ?? '');
      response.writeHead(status, { location: target }).end();
    }, '127.0.0.2');
    const fetcher = fetcherFor({
      port: inside.port,
      open: [`start.example:${external.port}`],
      resolve: async (host) => answer([host === 'start.example' ? '127.0.0.2' : '127.0.0.1']),
    });
    const targets = [
      `http://127.0.0.1:${inside.port}/`,
      `http://[::1]:${inside.port}/`,
      `//127.0.0.1:${inside.port}/`,
      `http://2130706433:${inside.port}/`,
      `http://[::ffff:7f00:1]:${inside.port}/`,
      `http://localhost:${inside.port}/`,
      `http://inside.example:${inside.port}/`,
      `http://user:secret@start.example:${inside.port}/`,
      'file:///etc/passwd',
      `https://127.0.0.1:${inside.port}/`,
    ];
    for (const target of targets) {
      const address = `http://start.example:${external.port}/${encodeURIComponent(target)}`;
      await expect(fetcher.fetch(address, { signal })).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:forbidden|invalid_request)$/),
      });
    }
    expect(external.requests).toHaveLength(targets.length);
    expect(inside.connections()).toBe(0);
  });

  it('is an unusual port of a public host', async () => {
    const fetcher = createPageFetcher({ rules: publicOnly, resolve: noName });
    onTestFinished(() => fetcher.close());
    for (const port of [1, 21, 22, 25, 53, 110, 6379, 8080, 9200, 11_211, 27_017]) {
      const asked = fetcher.fetch(`http://example.org:${port}/`, { signal });
      await expect(asked).rejects.toThrow(`CITEWELL_ALLOW_HOSTS=example.org:${port}`);
    }
  });

  it('does not reveal what a name resolves to', async () => {
    const inside = await canary();
    const fetcher = fetcherFor({ ...inside, resolve: async () => answer(['10.9.8.7']) });
    const error: Error = await fetcher.fetch('http://inside.example/', { signal }).catch((thrown) => thrown);
    expect(error.message).toBe(
      'inside.example is not an address of the public internet; it is not fetched. An operator can open it with CITEWELL_ALLOW_HOSTS=inside.example.',
    );
  });
});

describe('a host allowed by the operator', () => {
  it.each([
    ['a name with its port', 'wiki.intern:PORT'],
    ['the names below one', '*.intern:PORT'],
    ['a network with its port', '127.0.0.0/8:PORT'],
    ['an address with its port', '127.0.0.1:PORT'],
  ])('is fetched: %s', async (_, entry) => {
    const wiki = await serve((__, response) => response.end('hello'));
    const fetcher = fetcherFor({
      port: 80,
      open: [entry.replace('PORT', String(wiki.port))],
      resolve: async () => answer(['127.0.0.1']),
    });
    expect(await fetcher.fetch(`http://wiki.intern:${wiki.port}/`, { signal })).toMatchObject({
      bytes: Buffer.from('hello'),
    });
  });

  it.each(['other.intern:PORT', '*.wiki.intern:PORT', 'wiki.intern:1', 'wiki.intern', '10.0.0.0/8:PORT', '[::1]:PORT'])(
    'allows nothing else: %s',
    async (entry) => {
      const wiki = await serve((_, response) => response.end('hello'));
      const fetcher = fetcherFor({
        port: 80,
        open: [entry.replace('PORT', String(wiki.port))],
        resolve: async () => answer(['127.0.0.1']),
      });
      await expect(fetcher.fetch(`http://wiki.intern:${wiki.port}/`, { signal })).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(wiki.connections()).toBe(0);
    },
  );

  it.each([
    '',
    'a b',
    'http://wiki.intern',
    'wiki.intern:0',
    'wiki.intern:70000',
    '10.0.0.0/33',
    '[::1]/129',
    '*',
    '-x',
    'x/8',
  ])('is not "%s"', (entry) => {
    expect(readOpenHost(entry)).toBeUndefined();
  });
});

describe('a metadata service', () => {
  const addresses = [
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '169.254.42.42',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::ffff:a83f:8110',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::169.254.169.254',
  ];
  const names = ['metadata.google.internal', 'metadata', 'instance-data.ec2.internal'];
  const hostIn = (address: string) => (address.includes(':') ? `[${address}]` : address);
  const rulesWith = (entries: readonly string[], allowPrivate = false): AddressRules => ({
    ...publicOnly,
    allowPrivate,
    open: entries.map((entry) => {
      const read = readOpenHost(entry);
      if (read === undefined) throw new Error(`${entry} is no entry`);
      return read;
    }),
  });
  const opened: readonly (readonly [string, AddressRules])[] = [
    ['every private address is allowed', rulesWith([], true)],
    ['every network is open', rulesWith(['0.0.0.0/0', '[::]/0', '*.internal', '*.ec2.internal', '*.example'])],
    ['its network is open', rulesWith(['169.254.0.0/16', '168.63.129.16/31', '100.64.0.0/10', '[fd00::]/8'])],
    ['nothing is open', publicOnly],
  ];

  it.each(opened)('is closed where %s', (_, rules) => {
    for (const address of addresses) {
      const url = new URL(`http://${hostIn(address)}/`);
      expect(() => checkAddress(url, rules), address).toThrow(/metadata service of a cloud/);
      expect(() => checkResolved(address, 'site.example', 80, rules), address).toThrow(/not fetched/);
    }
    for (const name of names) expect(() => checkAddress(new URL(`http://${name}/`), rules), name).toThrow(/metadata/);
  });

  it('is closed to a name that the operator opened for something else', () => {
    const rules = rulesWith(['wiki.intern', '10.0.0.0/8']);
    expect(() => checkResolved('10.1.2.3', 'wiki.intern', 80, rules)).not.toThrow();
    expect(() => checkResolved('169.254.169.254', 'wiki.intern', 80, rules)).toThrow(/metadata service/);
  });

  it('is open where that very host is named', () => {
    for (const address of ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254']) {
      const rules = rulesWith([hostIn(address)]);
      expect(() => checkAddress(new URL(`http://${hostIn(address)}/`), rules)).not.toThrow();
      expect(() => checkResolved(address, address, 80, rules)).not.toThrow();
      expect(() => checkResolved('169.254.170.2', '169.254.170.2', 80, rules)).toThrow(/metadata service/);
    }
    const rules = rulesWith(['metadata.google.internal']);
    expect(() => checkAddress(new URL('http://metadata.google.internal/'), rules)).not.toThrow();
    expect(() => checkResolved('169.254.169.254', 'metadata.google.internal', 80, rules)).not.toThrow();
  });

  it('leaves the private and public addresses beside it as they are', () => {
    for (const address of ['168.63.129.15', '168.63.129.17', '8.8.8.8', '2001:4860:4860::8888'])
      expect(() => checkResolved(address, 'site.example', 80, publicOnly)).not.toThrow();
    for (const address of ['10.0.0.1', '100.100.100.201', '192.168.1.1', 'fd00:ec3::254', '::1'])
      expect(() => checkResolved(address, 'site.example', 80, rulesWith([], true))).not.toThrow();
  });
});
