import type { FetchedPage } from './page-fetcher.ts';

/** Content and metadata of a page. */
export interface PageContent {
  /** Short name of the format, e.g. `html`, `pdf`, `feed`. */
  readonly type: string;
  /** Main content with headings, lists, tables, links and code as Markdown. */
  readonly markdown: string;
  /** The same without Markdown syntax. */
  readonly text: string;
  readonly title?: string;
  readonly author?: string;
  readonly published?: string;
  readonly language?: string;
  readonly site?: string;
  /** The canonical URL that the page declares. */
  readonly canonicalUrl?: string;
  /** Characters removed because they are not visible on the page. */
  readonly hiddenCharacters: number;
  /** True if scripts probably generate the content: little text and an app root element. */
  readonly needsScripts?: boolean;
}

export interface WebPage extends PageContent {
  /** The requested address. */
  readonly url: string;
  /** The address after redirects. */
  readonly finalUrl: string;
  readonly mediaType?: string;
  readonly fetchedAt: Date;
  /** Whether a browser rendered it. */
  readonly isRendered: boolean;
}

/** Reads the bytes of any supported format. Throws `unsupported_type`, `too_large`, `invalid_request`. */
export type ReadPage = (page: FetchedPage, signal: AbortSignal) => Promise<PageContent>;

/** Web pages for an agent, with caching, crawl policy and address rules (see `PageFetcher`). */
export interface WebPages {
  /**
   * Throws the errors of a fetch; `forbidden` also if robots.txt disallows the address. `mayContact` is called for each
   * address, including redirects.
   */
  read(address: string, options: WebPageOptions): Promise<WebPage>;
  /** The best chunks for the query in text order, up to `maxCharacters` in total; empty if none matches. */
  chunks(text: string, query: string, maxCharacters: number): Promise<readonly PageChunk[]>;
}

export interface WebPageOptions {
  readonly signal: AbortSignal;
  readonly mayContact?: (url: URL) => boolean;
}

export interface PageChunk {
  /** UTF-16 offset in the text. */
  readonly start: number;
  readonly text: string;
}
