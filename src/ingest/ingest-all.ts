import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { mapConcurrently } from '../shared/map-concurrently.ts';
import { type FetchedPage, statusOf } from '../web/page-fetcher.ts';
import type { WebAccess } from '../web/web.ts';
import { findSources, type ReadableSource, type SiteScope } from './find-sources.ts';
import type { SkipReason } from './folders/find-files.ts';
import type { FolderTarget, IngestItem, IngestOutcome } from './folders/folder-target.ts';
import { refuseLarge, unreadableFile, unreadableWords } from './folders/supported-files.ts';
import { inUtf8 } from './in-utf8.ts';
import { type CheckedSource, type UnchangedOptions, withUnchanged } from './skip-unchanged.ts';

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
  /** If given, unchanged files are not sent. */
  readonly unchangedContents?: UnchangedOptions['unchangedContents'];
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

/** Enough to read one while another is embedded or stored. */
const CONCURRENCY = 3;

/**
 * Ingests everything the arguments name, a few items at a time, in the order found. Throws errors that would
 * affect every item; the failure of a single one is a result.
 */
export async function* ingestAll(
  names: readonly string[],
  options: IngestAllOptions,
): AsyncGenerator<IngestStep, void> {
  yield* mapConcurrently(begun(names, options), CONCURRENCY, (item) =>
    'kind' in item ? ingestOne(item, options) : item,
  );
}

/** What to ingest, each after its step `started`, and the steps of what is known not to need that. */
async function* begun(
  names: readonly string[],
  options: IngestAllOptions,
): AsyncGenerator<IngestStep | ReadableSource, void> {
  for await (const [source, unchangedId] of checked(names, options)) {
    if (options.stop.aborted) return;
    if (source.kind === 'skipped') {
      yield { type: 'skipped', name: source.path, reason: source.reason };
    } else if (source.kind === 'unreadable') {
      const { path: name, problem } = source;
      yield { type: 'result', name, outcome: 'failed', documentId: null, reason: unreadableWords(problem) };
    } else {
      yield { type: 'started', name: source.name };
      if (unchangedId === undefined) yield source;
      else yield { type: 'result', name: source.name, outcome: 'unchanged', documentId: unchangedId };
    }
  }
}

async function* checked(names: readonly string[], options: IngestAllOptions): AsyncGenerator<CheckedSource, void> {
  const { unchangedContents, isEnriched, ...others } = options;
  const sources = findSources(names, others);
  // Whether enrichment changes a document is decided when it is submitted.
  if (unchangedContents !== undefined && isEnriched !== true)
    yield* withUnchanged(sources, { ...others, unchangedContents });
  else for await (const source of sources) yield [source];
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
