import { ServiceError } from '../errors.ts';
import type { PageRequest, Route } from './browser.ts';
import type { FetchedPage, FetchOptions, PageFetcher } from './page-fetcher.ts';

export interface RequestParts {
  /** As the operator set it up. */
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  /** Reaches public addresses only; undefined where the other opens nothing else. */
  readonly publicFetcher?: Pick<PageFetcher, 'fetch'> | undefined;
  readonly signal: AbortSignal;
  /** Asked before each page, not before what a page loads. */
  readonly admit?: FetchOptions['admit'] | undefined;
}

/** The requests of one page in a browser, answered by fetchers. */
export interface RenderedRequests {
  answer(route: Route): Promise<void>;
  /** Where a page came from in the end, redirects included. */
  finalAddress(url: string): string;
  /** Why a page could not be had: the first, or one a script led on to. */
  readonly failure: unknown;
  /** Comes true with the failure. */
  readonly failed: Promise<void>;
}

const MAX_REQUESTS = 150;
const MAX_BYTES_EACH = 8_000_000;
const MAX_BYTES = 30_000_000;
const TIMEOUT_MS = 12_000;
/** What text depends on; pictures, fonts, films and frames are not loaded. */
const LOADED: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch', 'stylesheet']);

/**
 * Every answer may be read by every script of the page, so a page of the public web reaches nothing but the public web:
 * what an operator opened beyond it is for pages from there. Nothing is sent but the address.
 */
export function createRenderedRequests({ fetcher, publicFetcher, signal, admit }: RequestParts): RenderedRequests {
  const finalAddresses = new Map<string, string>();
  let reach = fetcher;
  let requests = 0;
  let bytes = 0;
  let failure: unknown;
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();

  const fetchPage = async (address: string): Promise<FetchedPage> => {
    const options = { ...bounds(), ...(admit !== undefined && { admit }) };
    if (publicFetcher !== undefined && reach !== publicFetcher) {
      const page = await publicFetcher.fetch(address, options).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'forbidden') return undefined;
        throw error;
      });
      if (page !== undefined) {
        reach = publicFetcher;
        return requireChanged(page);
      }
    }
    return requireChanged(await reach.fetch(address, options));
  };
  const bounds = () => ({
    signal,
    maxBytes: Math.min(MAX_BYTES_EACH, MAX_BYTES - bytes),
    timeoutMs: TIMEOUT_MS,
  });

  return {
    async answer(route) {
      requests += 1;
      const request = route.request();
      try {
        if (requests > MAX_REQUESTS || bytes >= MAX_BYTES || !isLoaded(request)) return await route.abort();
        const address = request.url();
        const isPage = request.resourceType() === 'document';
        const fetched = isPage ? await fetchPage(address) : requireChanged(await reach.fetch(address, bounds()));
        bytes += fetched.bytes.length;
        if (isPage) finalAddresses.set(address, fetched.url);
        await route.fulfill(responseOf(fetched, request));
      } catch (error) {
        const isPage = request.resourceType() === 'document';
        if (isPage) {
          failure ??= error;
          fail();
        }
        // Any other reason would put the browser's own page of regrets in place of the page that is there. That page may
        // be gone already.
        await route.abort(isPage ? 'aborted' : 'failed').catch(() => undefined);
      }
    },
    finalAddress: (url) => finalAddresses.get(url.replace(/#.*$/s, '')) ?? url,
    get failure() {
      return failure;
    },
    failed,
  };
}

function isLoaded(request: PageRequest): boolean {
  const type = request.resourceType();
  if (request.method() !== 'GET' || !LOADED.has(type)) return false;
  return type !== 'document' || request.frame().parentFrame() === null;
}

function responseOf({ bytes, mediaType, charset }: FetchedPage, request: PageRequest): object {
  const origin = request.headers()['origin'];
  const contentType = mediaType && `${mediaType}${charset === undefined ? '' : `; charset=${charset}`}`;
  return {
    status: 200,
    headers: {
      ...(contentType !== undefined && { 'content-type': contentType }),
      // Nobody is signed in anywhere here; what other sites answer is what everyone gets.
      'access-control-allow-origin': origin ?? '*',
      ...(origin !== undefined && { 'access-control-allow-credentials': 'true' }),
    },
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

function requireChanged(page: FetchedPage | 'unchanged'): FetchedPage {
  if (page === 'unchanged') throw new Error('A page that is not known cannot be unchanged.');
  return page;
}
