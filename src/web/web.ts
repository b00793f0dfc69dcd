import type { RemoteNetwork } from '../sources/connector.ts';
import type { CrawlPolicy } from './crawl-policy.ts';
import type { FetchedPage, FetchOptions, PageFetcher } from './page-fetcher.ts';
import type { SiteReader } from './site-pages.ts';
import type { WebPages } from './web-pages.ts';
import type { WebSearch } from './web-search.ts';

/** Web access for tools and answers. */
export interface Web {
  /** Undefined when no search service is configured. */
  readonly webSearch?: WebSearch;
  readonly webPages: WebPages;
  /** Fetches a page or file unprocessed, for ingestion. */
  fetchPage(address: string, options: FetchOptions): Promise<FetchedPage>;
  /** For crawling the pages of a site. */
  readonly sites?: WebAccess;
  /** For followed sources other than sites. */
  readonly network?: RemoteNetwork;
}

/** Dependencies of crawling a site. */
export interface WebAccess {
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  readonly crawlPolicy: CrawlPolicy;
  readonly siteReader: SiteReader;
}
