import type { RemoteContent } from '../connector.ts';

export interface Space {
  readonly id: string;
  readonly key: string;
}

export type PageType = 'page' | 'blogpost';

/** A page or blog post as listed, without its body. */
export interface ListedPage {
  readonly type: PageType;
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly modified: string | undefined;
  /** URL for the browser. */
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
  /** The spaces with these keys; missing ones are omitted. Without keys, all spaces that are not personal. */
  spaces(keys: readonly string[] | undefined, signal: AbortSignal): Promise<readonly Space[]>;
  /** The current pages of a space, neither archived nor in the trash. May contain duplicates. */
  pages(space: Space, type: PageType, signal: AbortSignal): AsyncIterable<ListedPage>;
  /** The attachments of these pages; the caller passes all pages of a space. */
  files(pages: readonly ListedPage[], signal: AbortSignal): AsyncIterable<ListedFile>;
  /** Throws `not_found` for a page that is not current. */
  page(type: PageType, id: string, options: PageOptions): Promise<{ readonly title: string; readonly storage: string }>;
  file(id: string, options: PageOptions): Promise<RemoteContent>;
}

export interface PageOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}
