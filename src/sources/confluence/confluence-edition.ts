import type { RemoteContent } from '../connector.ts';

export interface Space {
  readonly id: string;
  readonly key: string;
}

export type PageType = 'page' | 'blogpost';

/** A page or blog post as a listing shows it. */
export interface ListedPage {
  readonly type: PageType;
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly modified: string | undefined;
  /** Where it is shown. */
  readonly link: string | undefined;
}

export interface ListedFile {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly mediaType: string | undefined;
  readonly size: number | undefined;
  readonly modified: string | undefined;
  readonly link: string | undefined;
}

/** What differs between Atlassian's cloud and Data Center. Methods throw ServiceError. */
export interface ConfluenceEdition {
  /** Those of these keys that are there; without keys, all that are of no person. */
  spaces(keys: readonly string[] | undefined, signal: AbortSignal): Promise<readonly Space[]>;
  /** What is current in a space: neither archived nor in the trash. One may be named twice. */
  pages(space: Space, type: PageType, signal: AbortSignal): AsyncIterable<ListedPage>;
  /** What is attached to these pages, which are all of a space. */
  files(pages: readonly ListedPage[], signal: AbortSignal): AsyncIterable<ListedFile>;
  /** Throws `not_found` for a page that is not current. */
  page(type: PageType, id: string, options: PageOptions): Promise<{ readonly title: string; readonly storage: string }>;
  file(id: string, options: PageOptions): Promise<RemoteContent>;
}

export interface PageOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}
