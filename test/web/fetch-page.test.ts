import type { RequestListener } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fetchPage } from '../../src/web/fetch-page.ts';
import { isPublicAddress } from '../../src/web/public-address.ts';
import { serve as serveAt } from './support.ts';

const serve = async (listener: RequestListener) => (await serveAt(listener)).url;

const { signal } = new AbortController();
const local = { signal, allowPrivate: true };

describe('fetching a page', () => {
  it('returns its bytes, type and name', async () => {
    const base = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'Text/HTML; charset=utf-8' }).end('<p>hello');
    });
    const page = await fetchPage(`${base}/docs/a%20b.html?x=1#part`, local);
    expect({ ...page, bytes: Buffer.from(page.bytes).toString() }).toMatchObject({
      url: `${base}/docs/a%20b.html?x=1`,
      bytes: '<p>hello',
      mediaType: 'text/html',
      charset: 'utf-8',
      fileName: 'a b.html',
    });
  });

  it('follows redirects and unpacks what is compressed', async () => {
    const base = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next' }).end();
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked'));
    });
    const page = await fetchPage(`${base}/`, local);
    expect(page.url).toBe(`${base}/next`);
    expect(Buffer.from(page.bytes).toString()).toBe('unpacked');
  });

  it.each([
    ['http://127.0.0.1/'],
    ['http://[::1]/'],
    ['http://[::ffff:10.0.0.1]/'],
    ['http://0x7f000001/'],
    ['http://169.254.169.254/latest/meta-data'],
    ['http://localhost/'],
  ])('refuses %s: it is not on the public internet', async (address) => {
    await expect(fetchPage(address, { signal })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each(['ftp://example.org/x', 'file:///etc/passwd', 'nonsense', 'http://user:secret@example.org/'])(
    'refuses %s',
    async (address) => {
      const error: Error = await fetchPage(address, { signal }).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'invalid_request' });
      expect(error.message).not.toContain('secret');
    },
  );

  it('ends an infinite redirect', async () => {
    const base = await serve((_, response) => response.writeHead(301, { location: '/' }).end());
    await expect(fetchPage(base, local)).rejects.toThrow(/redirects more than/);
  });

  it.each([
    ['an error status', 404, 'provider_failed'],
    ['a larger page than allowed', 200, 'too_large'],
  ])('refuses %s', async (_, status, code) => {
    const base = await serve((_, response) => response.writeHead(status).end('x'.repeat(1_000)));
    await expect(fetchPage(base, { ...local, maxBytes: 999 })).rejects.toMatchObject({ code });
  });

  it.each([
    ['gzip', gzipSync('unpacked')],
    ['deflate', deflateSync('unpacked')],
    ['deflate', deflateRawSync('unpacked')],
    ['br', brotliCompressSync('unpacked')],
    ['gzip, br', brotliCompressSync(gzipSync('unpacked'))],
    ['identity', Buffer.from('unpacked')],
  ])('unpacks %s', async (encoding, body) => {
    const base = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
    const page = await fetchPage(`${base}/`, local);
    expect(Buffer.from(page.bytes).toString()).toBe('unpacked');
  });

  it.each(['snappy', 'gzip, gzip, gzip, gzip'])('refuses the encoding %s', async (encoding) => {
    const base = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('x'));
    await expect(fetchPage(base, local)).rejects.toMatchObject({ code: 'provider_failed' });
  });

  it('does not download an image', async () => {
    const base = await serve((_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'));
    await expect(fetchPage(base, local)).rejects.toMatchObject({ code: 'unsupported_type' });
  });

  it('returns the time after which to retry', async () => {
    const base = await serve((_, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    await expect(fetchPage(base, local)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 7 });
  });

  it.each([
    ['/', 'text/html', '127.0.0.1.html'],
    ['/', undefined, '127-0-0-1'],
    ['/index.php', 'text/html', 'index.php.html'],
    ['/paper.pdf', 'application/pdf', 'paper.pdf'],
    ['/a%2Fb', 'text/plain', 'a_b'],
  ])('derives the file name of %s, of type %s: %s', async (path, type, name) => {
    const base = await serve((_, response) => {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end('x');
    });
    expect(await fetchPage(`${base}${path}`, local)).toMatchObject({ fileName: name });
  });

  it('refuses a decompression bomb', async () => {
    const base = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5_000_000))),
    );
    await expect(fetchPage(base, { ...local, maxBytes: 100_000 })).rejects.toMatchObject({ code: 'too_large' });
  });

  it('gives up on a server that does not answer, and when the caller aborts', async () => {
    const base = await serve(() => undefined);
    await expect(fetchPage(base, { ...local, timeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    const aborted = fetchPage(base, { ...local, signal: AbortSignal.timeout(50) });
    await expect(aborted).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('public addresses', () => {
  it.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'example.org',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
