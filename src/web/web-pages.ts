import type { FetchedPage } from './page-fetcher.ts';

/** What a page says, and what it says of itself. */
export interface PageContent {
  /** Short name of the format, e.g. `html`, `pdf`, `feed`. */
  readonly type: string;
  /** Main content with headings, lists, tables, links and code as Markdown. */
  readonly markdown: string;
  /** The same without links and marks. */
  readonly text: string;
  readonly title?: string;
  readonly author?: string;
  readonly published?: string;
  readonly language?: string;
  readonly site?: string;
  /** The address the page gives as its own. */
  readonly canonicalUrl?: string;
  /** Characters taken out because a person who looks at the page would not see them. */
  readonly hiddenCharacters: number;
  /** True where scripts seem to write what is to be read: little text, and something that would. */
  readonly needsScripts?: boolean;
}

export interface WebPage extends PageContent {
  /** The address asked for. */
  readonly url: string;
  /** After redirects. */
  readonly finalUrl: string;
  readonly mediaType?: string;
  readonly fetchedAt: Date;
  /** Whether a browser ran its scripts. */
  readonly isRendered: boolean;
}

/** Bytes of any readable format → what they say. Throws `unsupported_type`, `too_large`, `invalid_request`. */
export type ReadPage = (page: FetchedPage, signal: AbortSignal) => Promise<PageContent>;

/** Pages of the web for an agent: polite, cached, safe (see `PageFetcher`). */
export interface WebPages {
  /**
   * Throws what a fetch throws; `forbidden` also where the site's robots.txt says no. `mayContact` is asked of each
   * address on the way, redirects included.
   */
  read(address: string, options: WebPageOptions): Promise<WebPage>;
  /** The parts of a text that answer best, in their order, within so many characters; empty when none does. */
  passages(text: string, query: string, maxCharacters: number): readonly PagePassage[];
}

export interface WebPageOptions {
  readonly signal: AbortSignal;
  readonly mayContact?: (url: URL) => boolean;
}

export interface PagePassage {
  /** UTF-16 offset in the text. */
  readonly start: number;
  readonly text: string;
}
