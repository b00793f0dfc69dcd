import type { FetchedPage } from '../web/page-fetcher.ts';
import type { Sitemap } from '../web/sitemap.ts';
import type { PageContent } from '../web/web-pages.ts';
import type { PreparationJob, PreparedDocument } from './preparation-job.ts';

/** A task for a reader process. Plain data, so that it can be sent as a message. */
export type ReadingTask =
  | { readonly kind: 'document'; readonly job: PreparationJob }
  | { readonly kind: 'page'; readonly page: FetchedPage }
  | { readonly kind: 'links'; readonly page: FetchedPage }
  | { readonly kind: 'sitemap'; readonly page: FetchedPage };

/** The result of each kind of task. */
export interface ReadingResults {
  readonly document: PreparedDocument;
  readonly page: PageContent;
  readonly links: readonly string[];
  readonly sitemap: Sitemap;
}
