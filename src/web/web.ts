import type { RemoteNetwork } from '../sources/connector.ts';
import type { CrawlPolicy } from './crawl-policy.ts';
import type { FetchedPage, FetchOptions, PageFetcher } from './page-fetcher.ts';
import type { SiteReader } from './site-pages.ts';
import type { WebPages } from './web-pages.ts';
import type { WebSearch } from './web-search.ts';

/** What reaches the web, as tools and answers use it. */
export interface Web {
  /** Undefined when no search service is configured. */
  readonly webSearch?: WebSearch;
  readonly webPages: WebPages;
  /** One page or file as it is, for taking it in. */
  fetchPage(address: string, options: FetchOptions): Promise<FetchedPage>;
  /** For the pages of a site. */
  readonly sites?: WebAccess;
  /** For followed sources of other kinds. */
  readonly network?: RemoteNetwork;
}

/** What the walk of a site needs. */
export interface WebAccess {
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  readonly crawlPolicy: CrawlPolicy;
  readonly siteReader: SiteReader;
}
