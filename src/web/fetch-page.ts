import { publicOnly } from './address-rules.ts';
import { createPageFetcher, type FetchedPage } from './page-fetcher.ts';

export interface FetchPageOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Allows addresses of this machine and its network. Set only on explicit request. */
  readonly allowPrivate?: boolean;
}

/** Fetches one page or file; see `PageFetcher` for the errors. */
export async function fetchPage(address: string, options: FetchPageOptions): Promise<FetchedPage> {
  const { allowPrivate = false, ...rest } = options;
  const fetcher = createPageFetcher({ rules: { ...publicOnly, allowPrivate } });
  try {
    const page = await fetcher.fetch(address, rest);
    // Cannot happen, because the request contains no validators.
    if (page === 'unchanged') throw new Error('A page that was never fetched cannot be unchanged.');
    return page;
  } finally {
    await fetcher.close();
  }
}
