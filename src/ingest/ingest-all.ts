import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { type FetchedPage, statusOf } from '../web/page-fetcher.ts';
import { crawledPages, type SitePage, sitemapPages } from '../web/site-pages.ts';
import type { WebAccess } from '../web/web.ts';
import { type Found, findFiles, type SkipReason } from './folders/find-files.ts';
import type { FolderTarget, IngestItem, IngestOutcome } from './folders/folder-target.ts';
import { isSupported, refuseLarge, unreadableFile, unreadableWords } from './folders/supported-files.ts';
import { inUtf8 } from './in-utf8.ts';

/** Outcome of one file or page; `name` is its path or address. */
export type IngestStep =
  | { readonly type: 'started'; readonly name: string }
  | {
      readonly type: 'result';
      readonly name: string;
      readonly outcome: IngestOutcome;
      readonly documentId: string | null;
      readonly reason?: string;
      /** Set if the server reports that the page does not exist. */
      readonly isGone?: true;
    }
  | { readonly type: 'skipped'; readonly name: string; readonly reason: SkipReason };

export interface IngestAllOptions {
  readonly client: Pick<FolderTarget, 'ingest'>;
  readonly metadata: Metadata;
  readonly collections: readonly string[];
  /** Contextual enrichment of its chunks by a model. */
  readonly isEnriched?: boolean;
  /** If absent, URLs are rejected. */
  readonly web?: WebAccess;
  /** For URLs: the further pages of the site to ingest; if absent, only the named page. */
  readonly site?: SiteScope | undefined;
  readonly dataFolder: string;
  /** Maximum size in bytes; larger files are not read. */
  readonly maxBytes?: number | undefined;
  /** When aborted, no new file is started. */
  readonly stop: AbortSignal;
  /** When aborted, work in progress is cancelled. */
  readonly abandon: AbortSignal;
}

/** Which pages of a site are ingested besides the named one. */
export interface SiteScope {
  readonly kind: 'sitemap' | 'crawl';
  /** Maximum number of links between the named page and another; for `crawl`. */
  readonly depth: number;
  readonly limit: number;
}

/** Enough to read one while another is embedded or stored. */
const CONCURRENCY = 3;
export const isUrl = (argument: string): boolean => /^https?:\/\//i.test(argument);

/**
 * Ingests everything the arguments name, a few items at a time, in the order found. Throws errors that would
 * affect every item; the failure of a single one is a result.
 */
export async function* ingestAll(
  names: readonly string[],
  options: IngestAllOptions,
): AsyncGenerator<IngestStep, void> {
  const inFlight = new Set<Promise<IngestStep>>();
  const next = async (): Promise<IngestStep> => {
    const { promise, step } = await Promise.race(
      [...inFlight].map((promise) => promise.then((step) => ({ promise, step }))),
    );
    inFlight.delete(promise);
    return step;
  };
  try {
    for await (const source of sources(names, options)) {
      if (options.stop.aborted) break;
      if (source.kind === 'skipped') {
        yield { type: 'skipped', name: source.path, reason: source.reason };
        continue;
      }
      if (source.kind === 'unreadable') {
        const { path: name, problem } = source;
        yield { type: 'result', name, outcome: 'failed', documentId: null, reason: unreadableWords(problem) };
        continue;
      }
      yield { type: 'started', name: source.name };
      const work = ingestOne(source, options);
      // Prevents an unhandled rejection; the promise is awaited below.
      work.catch(() => undefined);
      inFlight.add(work);
      if (inFlight.size >= CONCURRENCY) yield await next();
    }
    while (inFlight.size > 0) yield await next();
  } finally {
    await Promise.allSettled(inFlight);
  }
}

/** Number of files and pages behind the arguments, for a progress bar; undefined when counting was stopped. */
export async function countSources(
  names: readonly string[],
  options: Pick<SourceOptions, 'stop' | 'dataFolder' | 'site'>,
): Promise<number | undefined> {
  // Counting the pages of a site would mean fetching them.
  if (options.site !== undefined && names.some(isUrl)) return undefined;
  let total = 0;
  try {
    for await (const source of sources(names, options)) if (source.kind !== 'skipped') total += 1;
  } catch {
    return undefined;
  }
  return options.stop.aborted ? undefined : total;
}

type SourceOptions = Pick<IngestAllOptions, 'stop' | 'dataFolder' | 'site' | 'web'>;

type IngestSource =
  | { readonly kind: 'url'; readonly name: string }
  | { readonly kind: 'page'; readonly name: string; readonly found: SitePage }
  | { readonly kind: 'file'; readonly name: string; readonly sizeInBytes: number; readonly isNamed: boolean }
  | Exclude<Found, { readonly kind: 'file' }>;

type ReadableSource = Exclude<IngestSource, { readonly kind: 'skipped' | 'unreadable' }>;

async function* sources(
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

async function ingestOne(source: ReadableSource, options: IngestAllOptions): Promise<IngestStep> {
  const { name } = source;
  try {
    const read = await itemOf(source, options);
    const item = options.isEnriched === true ? { ...read, isEnriched: true } : read;
    return { type: 'result', name, ...(await options.client.ingest(item, options.abandon)) };
  } catch (error) {
    if (options.abandon.aborted || !(error instanceof ServiceError) || !concernsOneDocument(error)) throw error;
    // Unsupported files found below a folder are skipped; those named explicitly fail.
    if (error.code === 'unsupported_type' && source.kind === 'file' && !source.isNamed) {
      return { type: 'skipped', name, reason: error.unread ?? 'unsupported' };
    }
    const isGone = [404, 410].includes(statusOf(error) ?? 0);
    return {
      type: 'result',
      name,
      outcome: 'failed',
      documentId: null,
      reason: error.message,
      ...(isGone && { isGone }),
    };
  }
}

const concernsOneDocument = ({ code }: ServiceError): boolean =>
  code !== 'store_failed' && code !== 'embedding_mismatch' && code !== 'not_configured' && code !== 'cancelled';

async function readItem(
  { name, sizeInBytes }: { readonly name: string; readonly sizeInBytes: number },
  { metadata, collections, abandon, maxBytes }: IngestAllOptions,
): Promise<IngestItem> {
  const read = async () => {
    await refuseLarge(name, sizeInBytes, maxBytes);
    return readFile(name, { signal: abandon });
  };
  const bytes = await read().catch((error: Error) => {
    throw error instanceof ServiceError ? error : unreadableFile(error);
  });
  return { source: pathToFileURL(name).href, fileName: basename(name), bytes, metadata, collections };
}

async function itemOf(source: ReadableSource, options: IngestAllOptions): Promise<IngestItem> {
  switch (source.kind) {
    case 'file':
      return readItem(source, options);
    case 'url': {
      if (options.web === undefined)
        throw new ServiceError('not_configured', 'Web access is not configured, so URLs cannot be ingested.');
      const page = await options.web.fetcher.fetch(source.name, { signal: options.abandon });
      // No earlier state was sent, so "unchanged" is not a valid answer.
      if (page === 'unchanged')
        throw new ServiceError(
          'provider_failed',
          `${source.name} answered 304 Not Modified to an unconditional request.`,
        );
      return pageItem(source.name, page, options);
    }
    case 'page':
      if ('failure' in source.found) throw source.found.failure;
      return pageItem(source.name, source.found.page, options);
  }
}

const pageItem = (address: string, page: FetchedPage, { metadata, collections }: IngestAllOptions): IngestItem => ({
  // The requested address, so that a changing redirect does not create a second document.
  source: new URL(address).href,
  fileName: page.fileName,
  bytes: inUtf8(page),
  metadata,
  collections,
  ...(page.mediaType !== undefined && { mediaType: page.mediaType }),
});
