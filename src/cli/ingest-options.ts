import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { isUrl, type SiteScope } from '../ingest/find-sources.ts';
import { isGlob } from '../ingest/folders/find-files.ts';
import { fileProblem } from '../shared/file-problem.ts';

export interface IngestOptions {
  readonly collection?: readonly string[];
  readonly metadata?: Metadata;
  readonly allowPrivateAddresses?: boolean;
  readonly sitemap?: boolean;
  readonly crawlDepth?: number;
  readonly maxPages?: number;
  readonly watch?: boolean;
  readonly keepDeleted?: boolean;
  readonly dryRun?: boolean;
  readonly enrich?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Throws `invalid_request` for options that exclude each other. */
export function checkIngestOptions(options: IngestOptions): void {
  if (options.enrich === true && (options.watch === true || options.dryRun === true)) {
    throw new ServiceError('invalid_request', 'Give --enrich without --watch and --dry-run.');
  }
  if (options.yes === true && options.enrich !== true) {
    throw new ServiceError('invalid_request', '--yes requires --enrich.');
  }
  if (options.watch === true && options.dryRun === true) {
    throw new ServiceError('invalid_request', 'Give --watch or --dry-run, not both.');
  }
  if (options.keepDeleted === true && options.watch !== true) {
    throw new ServiceError('invalid_request', '--keep-deleted requires --watch.');
  }
}

const DEFAULT_PAGES = 500;

/** Which pages of the given sites are ingested; undefined for the given pages only. */
export function siteOf(
  { sitemap, crawlDepth, maxPages }: IngestOptions,
  names: readonly string[],
): SiteScope | undefined {
  if (sitemap !== true && crawlDepth === undefined) {
    if (maxPages === undefined) return undefined;
    throw new ServiceError('invalid_request', '--max-pages requires --sitemap or --crawl-depth.');
  }
  if (sitemap === true && crawlDepth !== undefined) {
    throw new ServiceError('invalid_request', 'Give --sitemap or --crawl-depth, not both.');
  }
  if (!names.some(isUrl)) {
    throw new ServiceError('invalid_request', '--sitemap and --crawl-depth are for addresses; none is given.');
  }
  return { kind: sitemap === true ? 'sitemap' : 'crawl', depth: crawlDepth ?? 0, limit: maxPages ?? DEFAULT_PAGES };
}

/** Throws `invalid_request` for a missing or unreadable path. Called first, so that a typo does not surface later. */
export async function requireAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (name.trim() === '') throw new ServiceError('invalid_request', 'A path is empty; name a file or a folder.');
    if (isUrl(name) || isGlob(name)) continue;
    const info = await stat(resolve(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw unreadable(name, error);
      const hint = /^[a-z][a-z0-9+.-]*:\/\//i.test(name)
        ? ' Only http and https addresses are ingested; "citewell sources add" follows others, such as s3://bucket/folder/.'
        : '';
      throw new ServiceError('invalid_request', `There is no file or folder "${name}".${hint}`);
    });
    if (!info.isFile() && !info.isDirectory()) {
      throw new ServiceError('invalid_request', `"${name}" is neither a file nor a folder.`);
    }
    try {
      await access(resolve(name), info.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    } catch (error) {
      throw unreadable(name, error);
    }
  }
}

const unreadable = (name: string, cause: unknown): ServiceError =>
  new ServiceError('invalid_request', `"${name}" cannot be read: ${fileProblem(cause)}.`, { cause });
