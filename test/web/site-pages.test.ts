import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPageReaders } from '../../src/ingest/page-readers.ts';
import { publicOnly } from '../../src/web/address-rules.ts';
import { createCrawlPolicy } from '../../src/web/crawl-policy.ts';
import { createPageFetcher } from '../../src/web/page-fetcher.ts';
import { readRobots } from '../../src/web/robots.ts';
import { crawledPages, type SitePage, sitemapPages } from '../../src/web/site-pages.ts';
import { readSitemap } from '../../src/web/sitemap.ts';
import { PROMPTLY_MS } from '../support/patience.ts';
import { serve } from './support.ts';

const { signal } = new AbortController();
const siteReader = createPageReaders({ workers: 1 });
afterAll(() => siteReader.close());

async function site(files: Readonly<Record<string, string | Buffer>>, minGapMs = 0) {
  const server = await serve((request, response) => {
    const file = files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': request.url?.includes('.') ? 'text/plain' : 'text/html' }).end(file);
  });
  const fetcher = createPageFetcher({ rules: { ...publicOnly, allowPrivate: true } });
  onTestFinished(() => fetcher.close());
  const crawlPolicy = createCrawlPolicy(fetcher, { obeysRobots: true, minGapMs });
  return { ...server, walk: { fetcher, crawlPolicy, siteReader, signal, limit: 100 }, fetcher };
}

async function pathsOf(pages: AsyncIterable<SitePage>): Promise<string[]> {
  const paths: string[] = [];
  for await (const page of pages) paths.push(`${new URL(page.address).pathname}${'failure' in page ? ' failed' : ''}`);
  return paths;
}

const links = (...paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

describe('crawling a site', () => {
  const files = {
    '/docs/': links('a', '/docs/b#part', 'https://elsewhere.example/', '/blog/x', 'picture.png', 'mailto:x@y.example'),
    '/docs/a': links('deep', '/docs/', 'missing', '/docs/private/y', '/docs/b?utm_source=z'),
    '/docs/b': `${links('/docs/a/')}<a href="ad" rel="sponsored nofollow">ad</a>`,
    '/docs/deep': links('deeper'),
    '/docs/deeper': 'the end',
    '/robots.txt': 'User-agent: *\nDisallow: /docs/private/\nSitemap: /ignored',
  };

  it.each([
    [1, ['/docs/', '/docs/a', '/docs/b']],
    [2, ['/docs/', '/docs/a', '/docs/b', '/docs/deep', '/docs/missing failed', '/docs/private/y failed']],
  ])('follows links %i deep, on the same host below the same folder, each once', async (depth, expected) => {
    const { url, walk, requests } = await site(files);
    expect(await pathsOf(crawledPages(`${url}/docs/`, depth, walk))).toEqual(expected);
    expect(requests).not.toContain('GET /docs/private/y');
    expect(new Set(requests).size).toBe(requests.length);
  });

  it('ends at its page limit', async () => {
    const { url, walk } = await site(files);
    expect(await pathsOf(crawledPages(`${url}/docs/`, 5, { ...walk, limit: 2 }))).toHaveLength(2);
  });

  it('reads sitemaps of this site, compressed or not, and sitemap indexes', async () => {
    const map: Record<string, string | Buffer> = { '/a': 'a', '/b': 'b', '/c?x=1&y=2': 'c' };
    const { url, walk } = await site(map);
    map['/robots.txt'] = `Sitemap: ${url}/index.xml`;
    map['/index.xml'] =
      `<?xml version="1.0"?><sitemapindex><sitemap><loc>${url}/one.xml.gz</loc></sitemap><sitemap><loc> ${url}/two.txt </loc></sitemap></sitemapindex>`;
    map['/one.xml.gz'] = gzipSync(
      `<urlset><url><loc>${url}/a</loc></url><url><loc><![CDATA[${url}/c?x=1&amp;y=2]]></loc></url><url><loc>https://elsewhere.example/</loc></url></urlset>`,
    );
    map['/two.txt'] = `${url}/b\n${url}/a\n`;
    expect(await pathsOf(sitemapPages(`${url}/a`, walk))).toEqual(['/a', '/c', '/b']);
  });

  it('reads sitemap indexes that list many thousands of sitemaps at once', async () => {
    const files: Record<string, string> = {};
    const { url, walk } = await site(files);
    const listed = (name: string) =>
      Array.from({ length: 50_000 }, (_, at) => `<sitemap><loc>${url}/${name}/${at}.xml</loc></sitemap>`).join('');
    files['/robots.txt'] = `Sitemap: ${url}/one.xml\nSitemap: ${url}/two.xml`;
    files['/one.xml'] = `<sitemapindex>${listed('one')}</sitemapindex>`;
    files['/two.xml'] = `<sitemapindex>${listed('two')}</sitemapindex>`;
    const startedAt = performance.now();
    await expect(pathsOf(sitemapPages(url, walk))).rejects.toThrow('/one/0.xml answered with status 404');
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  });

  it('follows no link of a page that forbids it', async () => {
    const closed = `<meta name="ROBOTS" content="index, NoFollow">${links('a')}`;
    const { url, walk } = await site({ '/docs/': closed, '/docs/a': 'a' });
    expect(await pathsOf(crawledPages(`${url}/docs/`, 2, walk))).toEqual(['/docs/']);
  });

  it('resolves links against the base of the page, and takes none from scripts and comments', async () => {
    const page = `<base href="/docs/deep/"><script>"<a href='x'>"</script><!-- <a href="y"> --><a href="&#97;">a</a>`;
    const { url, walk } = await site({ '/docs/': page, '/docs/deep/a': 'a' });
    expect(await pathsOf(crawledPages(`${url}/docs/`, 1, walk))).toEqual(['/docs/', '/docs/deep/a']);
  });

  it.each([
    ['unfinished entries', '<url>'],
    ['unfinished tags', '<url '],
    ['entries without a location', '<url><priority>1</priority></url>'],
    ['unfinished locations', '<url><loc>'],
    ['white space', '<url><loc>        </loc></url>  '],
  ])('reads a sitemap of megabytes of %s at once', async (_, part) => {
    const map = `<urlset>${part.repeat(2_000_000 / part.length)}<url><loc>/a</loc></url></urlset>`;
    const startedAt = performance.now();
    expect((await readSitemap(Buffer.from(map), 'https://a.example/map.xml')).pages).toEqual(['https://a.example/a']);
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  });

  it('reads addresses with brackets from a sitemap', async () => {
    const map = '<urlset><url><loc>/a?b[]=1</loc></url><url><loc> <![CDATA[/c?d[]=2]]> </loc></url></urlset>';
    expect((await readSitemap(Buffer.from(map), 'https://a.example/map.xml')).pages).toEqual([
      'https://a.example/a?b[]=1',
      'https://a.example/c?d[]=2',
    ]);
  });

  it('reports a missing sitemap', async () => {
    const { url, walk } = await site({ '/': 'home' });
    await expect(pathsOf(sitemapPages(url, walk))).rejects.toThrow('/sitemap.xml answered with status 404');
    const other = await site({ '/': 'home', '/sitemap.xml': '<html>no map</html>' });
    await expect(pathsOf(sitemapPages(other.url, other.walk))).rejects.toThrow('is not a sitemap');
  });
});

describe('the crawl policy', () => {
  it('gives the turn of a cancelled request to the next', async () => {
    const { url, walk } = await site({ '/': 'home' });
    const page = new URL(url);
    const turns = createCrawlPolicy(walk.fetcher, { obeysRobots: false, minGapMs: 300 });
    const startedAt = performance.now();
    await turns.admit(page, signal);
    const abandoned = Array.from({ length: 100 }, () => turns.admit(page, AbortSignal.timeout(50)));
    const last = turns.admit(page, signal);
    const outcomes = await Promise.allSettled(abandoned);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    await last;
    const elapsed = performance.now() - startedAt;
    expect(elapsed).toBeGreaterThanOrEqual(295);
    expect(elapsed).toBeLessThan(PROMPTLY_MS);
  });

  it('pauses between two requests to one host', async () => {
    const { url, walk } = await site({ '/': 'home' }, 60);
    const startedAt = performance.now();
    for (let time = 0; time < 3; time++) await walk.crawlPolicy.admit(new URL(url), signal);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115);
  });

  it('reads robots.txt once per site, and reads no page if that fails', async () => {
    const server = await serve((_, response) => response.writeHead(503).end());
    const { fetcher } = await site({});
    const crawlPolicy = createCrawlPolicy(fetcher, { obeysRobots: true, minGapMs: 0 });
    for (let time = 0; time < 2; time++) {
      await expect(crawlPolicy.admit(new URL(`${server.url}/x`), signal)).rejects.toMatchObject({
        code: 'provider_failed',
        message: expect.stringMatching(/robots\.txt of .* could not be read: .* status 503/),
      });
    }
    expect(server.requests).toEqual(['GET /robots.txt']);
    const unrestricted = createCrawlPolicy(fetcher, { obeysRobots: false, minGapMs: 0 });
    await unrestricted.admit(new URL(`${server.url}/x`), signal);
    expect(server.requests).toHaveLength(1);
  });

  it('requests a robots.txt again one minute after a failure, and one hour after it was read', async () => {
    let status = 503;
    let now = 0;
    const { url, requests } = await serve((_, response) => response.writeHead(status).end());
    const { fetcher } = await site({});
    const crawlPolicy = createCrawlPolicy(fetcher, { obeysRobots: true, minGapMs: 0 }, () => now);
    const admitted = () => crawlPolicy.admit(new URL(`${url}/x`), signal);
    await expect(admitted()).rejects.toMatchObject({ code: 'provider_failed' });
    status = 404;
    now = 59_999;
    await expect(admitted()).rejects.toMatchObject({ code: 'provider_failed' });
    expect(requests).toHaveLength(1);
    now = 60_000;
    await admitted();
    now += 3_599_999;
    await admitted();
    expect(requests).toHaveLength(2);
    now += 1;
    await admitted();
    expect(requests).toHaveLength(3);
  });

  it.each([
    [404, 'resolves'],
    [403, 'resolves'],
    [429, 'rejects'],
    ['no', 'rejects'],
  ] as const)('with %s answer for robots.txt %s', async (answer, outcome) => {
    const { url } = await serve((_, response) => {
      if (answer === 'no') response.destroy();
      else response.writeHead(answer).end();
    });
    const { fetcher } = await site({});
    const crawlPolicy = createCrawlPolicy(fetcher, { obeysRobots: true, minGapMs: 0 });
    const admitted = crawlPolicy.admit(new URL(`${url}/x`), signal);
    await (outcome === 'resolves' ? admitted : expect(admitted).rejects.toMatchObject({ code: 'provider_failed' }));
    expect(await crawlPolicy.sitemapsOf(new URL(url), signal)).toEqual([]);
  });

  it('obeys a robots.txt of more than 500 kB', async () => {
    const comments = '# An archive of what has changed.\n'.repeat(20_000);
    const { url, walk } = await site({ '/robots.txt': `User-agent: *\nDisallow: /private\n${comments}` });
    await expect(walk.crawlPolicy.admit(new URL(`${url}/private`), signal)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('robots.txt', () => {
  it.each([
    ['User-agent: *\nDisallow: /private', '/private/x', false],
    ['User-agent: *\nDisallow: /private', '/public', true],
    ['User-agent: *\nDisallow:', '/x', true],
    ['User-agent: *\nDisallow: /', '/x', false],
    ['User-agent: *\nDisallow: /\nAllow: /x', '/x/y', true],
    ['User-agent: *\nAllow: /x\nDisallow: /x', '/x', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf?x', true],
    ['User-agent: *\nDisallow: /a*c', '/abbbc', false],
    ['User-agent: other\nDisallow: /', '/x', true],
    ['User-agent: *\nDisallow: /\n\nUser-agent: Citewell\nDisallow: /secret', '/x', true],
    ['User-agent: other\nUser-agent: citewell\nDisallow: /', '/x', false],
    ['# comment\nuser-agent : * # all\ndisallow : /x # not this', '/x', false],
    ['Disallow: /', '/x', true],
    // A character and its percent-encoding are equal.
    ['User-agent: *\nDisallow: /café', '/caf%C3%A9/menu', false],
    ['User-agent: *\nDisallow: /caf%c3%a9', '/caf%C3%A9', false],
    ['', '/x', true],
  ])('%j: may %s be read? %s', (text, path, allowed) => {
    expect(readRobots(text, 'citewell').allows(path)).toBe(allowed);
  });

  it('is quick for a pathological pattern', () => {
    const robots = readRobots(`User-agent: *\nDisallow: /${'*a'.repeat(900)}$`, 'citewell');
    const startedAt = performance.now();
    expect(robots.allows(`/${'a'.repeat(5_000)}b`)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  });

  it('is quick for a file of pathological patterns, and refuses what it cannot compare', () => {
    const robots = readRobots(`User-agent: *\n${`Disallow: /*${'a*'.repeat(900)}b$\n`.repeat(250)}`, 'citewell');
    const startedAt = performance.now();
    expect(robots.allows(`/${'a'.repeat(5_000)}c`)).toBe(false);
    expect(robots.allows('/c')).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  });

  it('yields sitemaps and the crawl delay', () => {
    expect(readRobots('Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5', 'citewell')).toMatchObject({
      sitemaps: ['https://a.example/s.xml'],
      delay: 2.5,
    });
  });
});
