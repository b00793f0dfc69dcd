import type { FetchedPage } from '../web/page-fetcher.ts';
import type { SiteReader } from '../web/site-pages.ts';
import type { ReadPage } from '../web/web-pages.ts';
import { createReaderPool, type PreparationLimits } from './prepare-in-worker.ts';
import type { ReadingTask } from './reading-task.ts';

export interface PageReaders extends SiteReader {
  readonly readPage: ReadPage;
  close(): Promise<void>;
}

/** Shorter than the time that a fetch and the tool call around it may take. */
const TIMEOUT_MS = 20_000;

/**
 * Reads fetched pages in separate processes, so that no page can block the service. Documents have a pool of their own,
 * because a page that someone waits for must not queue behind an hour of uploads.
 */
export function createPageReaders(limits: Partial<PreparationLimits> = {}): PageReaders {
  const pool = createReaderPool({ timeoutMs: TIMEOUT_MS, ...limits });
  const run = <Kind extends 'page' | 'links' | 'sitemap'>(kind: Kind) => {
    return (page: FetchedPage, signal: AbortSignal) =>
      pool.run<Kind>({ kind, page } as Extract<ReadingTask, { kind: Kind }>, { name: page.url, advice: '', signal });
  };
  return { readPage: run('page'), links: run('links'), sitemap: run('sitemap'), close: pool.close };
}
