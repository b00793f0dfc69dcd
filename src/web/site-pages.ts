import { ServiceError } from '../errors.ts';
import { readAddress } from './address-rules.ts';
import { canonicalUrl } from './canonical-url.ts';
import type { CrawlPolicy } from './crawl-policy.ts';
import type { FetchedPage, PageFetcher } from './page-fetcher.ts';
import type { Sitemap } from './sitemap.ts';

/** One visited page; `failure` if it could not be fetched. */
export type SitePage =
  | { readonly address: string; readonly page: FetchedPage }
  | { readonly address: string; readonly failure: ServiceError };

/** Finds addresses of a site's pages. Both methods throw ServiceError if the content cannot be read. */
export interface SiteReader {
  /** The addresses to which an HTML page links, unless it forbids following them (`nofollow`). */
  links(page: FetchedPage, signal: AbortSignal): Promise<readonly string[]>;
  sitemap(page: FetchedPage, signal: AbortSignal): Promise<Sitemap>;
}

export interface SiteWalk {
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  readonly crawlPolicy: CrawlPolicy;
  readonly siteReader: SiteReader;
  readonly signal: AbortSignal;
  /** Maximum number of pages. */
  readonly limit: number;
}

const SITEMAP_BYTES = 50_000_000;
const MAX_SITEMAPS = 100;
const MAX_QUEUED = 50_000;
/** Extensions of linked files that are not pages. */
const NOT_A_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|mov|avi|ogg|wav|flac|css|js|mjs|map|woff2?|ttf|eot|zip|gz|tgz|bz2|xz|7z|rar|exe|dmg|iso|apk|rss|atom)$/i;

/** The pages listed in a site's sitemaps, restricted to that site. The address is a sitemap's, or any address of the site. */
export async function* sitemapPages(address: string, walk: SiteWalk): AsyncGenerator<SitePage, void> {
  const start = readAddress(address);
  const isSitemap = /\.xml(?:\.gz)?$/i.test(start.pathname);
  const named = isSitemap ? [start.href] : await walk.crawlPolicy.sitemapsOf(start, walk.signal);
  const maps = named.length > 0 ? [...named] : [`${start.origin}/sitemap.xml`];
  const seen = new Set<string>();
  let count = 0;
  for (let index = 0; index < maps.length && index < MAX_SITEMAPS; index++) {
    const map = maps[index];
    if (map === undefined) continue;
    const file = await fetchPage(map, { ...walk, maxBytes: SITEMAP_BYTES });
    const listed = await walk.siteReader.sitemap(file, walk.signal);
    for (const other of listed.sitemaps) if (maps.length < MAX_SITEMAPS && !maps.includes(other)) maps.push(other);
    for (const page of listed.pages) {
      if (count >= walk.limit) return;
      if (!isOfSite(page, start) || seen.has(canonicalUrl(page))) continue;
      seen.add(canonicalUrl(page));
      count += 1;
      yield await visit(page, walk);
    }
  }
}

/**
 * Crawls a site breadth-first to `depth` links: pages of the same host below the same folder. Obeys robots.txt and
 * `nofollow`.
 */
export async function* crawledPages(address: string, depth: number, walk: SiteWalk): AsyncGenerator<SitePage, void> {
  const start = readAddress(address);
  const folder = start.pathname.replace(/[^/]*$/, '');
  const seen = new Set([canonicalUrl(start.href)]);
  let nearest = [start.href];
  let count = 0;
  for (let step = 0; step <= depth && nearest.length > 0; step++) {
    const next: string[] = [];
    for (const page of nearest) {
      if (count >= walk.limit) return;
      count += 1;
      const found = await visit(page, walk);
      yield found;
      if (step === depth || !('page' in found)) continue;
      // The page may have redirected to one that was already visited.
      seen.add(canonicalUrl(found.page.url));
      for (const link of await linksOf(found.page, walk)) {
        const key = canonicalUrl(link);
        if (seen.has(key) || seen.size > MAX_QUEUED || !isOfSite(link, start)) continue;
        const { pathname } = new URL(link);
        if (!pathname.startsWith(folder) || NOT_A_PAGE.test(pathname)) continue;
        seen.add(key);
        next.push(link);
      }
    }
    nearest = next;
  }
}

async function visit(address: string, walk: SiteWalk): Promise<SitePage> {
  try {
    return { address, page: await fetchPage(address, walk) };
  } catch (error) {
    if (walk.signal.aborted || !(error instanceof ServiceError)) throw error;
    return { address, failure: error };
  }
}

async function fetchPage(
  address: string,
  { fetcher, crawlPolicy, signal, maxBytes }: SiteWalk & { readonly maxBytes?: number },
): Promise<FetchedPage> {
  const page = await fetcher.fetch(address, {
    signal,
    admit: crawlPolicy.admit,
    ...(maxBytes !== undefined && { maxBytes }),
  });
  if (page === 'unchanged')
    throw new ServiceError('provider_failed', `${address} answered 304 Not Modified to an unconditional request.`);
  return page;
}

const isOfSite = (address: string, { host }: URL): boolean => URL.parse(address)?.host === host;

/** Treats a page whose links cannot be read as a page without links. */
async function linksOf(page: FetchedPage, { siteReader, signal }: SiteWalk): Promise<readonly string[]> {
  try {
    return await siteReader.links(page, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    return [];
  }
}
