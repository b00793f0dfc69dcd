import { LruMap } from '../shared/lru-map.ts';
import type { Validators } from './page-fetcher.ts';
import type { WebPage } from './web-pages.ts';

interface CachedPage {
  readonly page: WebPage;
  readonly validators: Validators;
  readonly size: number;
  readonly freshFor: number | undefined;
  freshUntil: number;
}

const MAX_CHARACTERS = 20_000_000;
const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 3_600;

/** LRU cache of pages. Stale pages are kept, for conditional requests. */
export class PageCache {
  readonly #kept = new LruMap<string, CachedPage>({ max: MAX_CHARACTERS, sizeOf: ({ size }) => size });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(
    address: string,
  ): { readonly page: WebPage; readonly validators: Validators; readonly isFresh: boolean } | undefined {
    const kept = this.#kept.get(address);
    if (kept === undefined) return undefined;
    return { page: kept.page, validators: kept.validators, isFresh: this.#now() < kept.freshUntil };
  }

  /** `freshFor` is the server's cache lifetime in seconds; with 0, the page is kept only if it can be revalidated. */
  put(address: string, page: WebPage, validators: Validators, freshFor: number | undefined): void {
    this.#kept.delete(address);
    const canBeAsked = validators.etag !== undefined || validators.lastModified !== undefined;
    if (freshFor === 0 && !canBeAsked) return;
    const size = page.markdown.length + page.text.length;
    if (size > MAX_CHARACTERS / 4) return;
    this.#kept.set(address, { page, validators, size, freshFor, freshUntil: this.#until(freshFor) });
  }

  /** Marks the page as fresh for as long as at first, after the server confirmed that it is unchanged. */
  renew(address: string): void {
    const kept = this.#kept.get(address);
    if (kept !== undefined) kept.freshUntil = this.#until(kept.freshFor);
  }

  #until(freshFor: number | undefined): number {
    return this.#now() + Math.min(freshFor ?? DEFAULT_SECONDS, MAX_SECONDS) * 1000;
  }
}
