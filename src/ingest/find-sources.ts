import { crawledPages, type SitePage, sitemapPages } from '../web/site-pages.ts';
import type { WebAccess } from '../web/web.ts';
import { type Found, findFiles } from './folders/find-files.ts';
import { isSupported } from './folders/supported-files.ts';

/** Which pages of a site are ingested besides the named one. */
export interface SiteScope {
  readonly kind: 'sitemap' | 'crawl';
  /** Maximum number of links between the named page and another; for `crawl`. */
  readonly depth: number;
  readonly limit: number;
}

/** A file; `isNamed` when an argument is its path. */
export interface FileSource {
  readonly kind: 'file';
  readonly name: string;
  readonly sizeInBytes: number;
  readonly isNamed: boolean;
}

/** What an argument of an ingestion leads to. */
export type IngestSource =
  | { readonly kind: 'url'; readonly name: string }
  | { readonly kind: 'page'; readonly name: string; readonly found: SitePage }
  | FileSource
  | Exclude<Found, { readonly kind: 'file' }>;

export type ReadableSource = Exclude<IngestSource, { readonly kind: 'skipped' | 'unreadable' }>;

export interface SourceOptions {
  /** If absent, only the named page of a site is found. */
  readonly web?: WebAccess | undefined;
  /** For URLs: the further pages of the site; if absent, only the named page. */
  readonly site?: SiteScope | undefined;
  readonly dataFolder: string;
  /** When aborted, nothing more is looked for. */
  readonly stop: AbortSignal;
}

export const isUrl = (argument: string): boolean => /^https?:\/\//i.test(argument);

/** The files and pages that the arguments name, in the order found. */
export async function* findSources(
  names: readonly string[],
  { stop, dataFolder, site, web }: SourceOptions,
): AsyncGenerator<IngestSource, void> {
  for (const name of names) {
    if (isUrl(name) && site !== undefined && web !== undefined) {
      const walk = { ...web, signal: stop, limit: site.limit };
      const pages = site.kind === 'sitemap' ? sitemapPages(name, walk) : crawledPages(name, site.depth, walk);
      for await (const found of untilStopped(pages, stop)) yield { kind: 'page', name: found.address, found };
      continue;
    }
    if (isUrl(name)) {
      yield { kind: 'url', name };
      continue;
    }
    for await (const found of findFiles(name, { isSupported, dataFolder, signal: stop })) {
      if (found.kind !== 'file') yield found;
      else yield { kind: 'file', name: found.path, sizeInBytes: found.sizeInBytes, isNamed: found.isNamed };
    }
  }
}

/** Ends the walk without an error if it is stopped while a page is being fetched. */
async function* untilStopped(pages: AsyncGenerator<SitePage>, stop: AbortSignal): AsyncGenerator<SitePage, void> {
  try {
    yield* pages;
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

/**
 * Number of files and pages behind the arguments, for a progress bar; undefined when counting was stopped. `report` is
 * given the number counted so far.
 */
export async function countSources(
  names: readonly string[],
  options: Omit<SourceOptions, 'web'>,
  report: (counted: number) => void = () => undefined,
): Promise<number | undefined> {
  // Counting the pages of a site would mean fetching them.
  if (options.site !== undefined && names.some(isUrl)) return undefined;
  let total = 0;
  try {
    for await (const source of findSources(names, options)) {
      if (source.kind !== 'skipped') report(++total);
    }
  } catch {
    return undefined;
  }
  return options.stop.aborted ? undefined : total;
}
