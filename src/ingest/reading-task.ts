import type { FetchedPage } from '../web/page-fetcher.ts';
import type { Sitemap } from '../web/sitemap.ts';
import type { PageContent } from '../web/web-pages.ts';
import type { PreparationJob, PreparedDocument } from './prepare-document.ts';

/** What a reader process is asked to do. Plain data, to be sent to it. */
export type ReadingTask =
  | { readonly kind: 'document'; readonly job: PreparationJob }
  | { readonly kind: 'page'; readonly page: FetchedPage }
  | { readonly kind: 'links'; readonly page: FetchedPage }
  | { readonly kind: 'sitemap'; readonly page: FetchedPage };

/** What comes of each kind of task. */
export interface ReadingResults {
  readonly document: PreparedDocument;
  readonly page: PageContent;
  readonly links: readonly string[];
  readonly sitemap: Sitemap;
}
