import { ServiceError } from '../errors.ts';
import type { PageRequest, Route } from './browser.ts';
import type { FetchedPage, FetchOptions, PageFetcher } from './page-fetcher.ts';

export interface RequestParts {
  /** Fetcher with the operator's address rules. */
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  /** Fetcher for public addresses only; undefined if the other one allows nothing else. */
  readonly publicFetcher?: Pick<PageFetcher, 'fetch'> | undefined;
  readonly signal: AbortSignal;
  /** Called before each page load, not before its sub-requests. */
  readonly admit?: FetchOptions['admit'] | undefined;
}

/** Answers the requests of a page in the browser through the fetchers. */
export interface RenderedRequests {
  answer(route: Route): Promise<void>;
  /** The address a page was loaded from after redirects. */
  finalAddress(url: string): string;
  /** Error if the page, or one that a script navigated to, could not be loaded. */
  readonly failure: unknown;
  /** Resolves with the first failure. */
  readonly failed: Promise<void>;
}

const MAX_REQUESTS = 150;
const MAX_BYTES_EACH = 8_000_000;
const MAX_BYTES = 30_000_000;
const TIMEOUT_MS = 12_000;
/** Resource types that text depends on; images, fonts, media and frames are not loaded. */
const LOADED: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch', 'stylesheet']);

/**
 * Scripts of the page can read every response, so pages of the public web may only reach the public web; internal hosts
 * that the operator allowed are reachable only from pages of such hosts. Requests carry no body or headers of the page.
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
        // Other reasons would replace the current page with the browser's error page. The page may be closed already.
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
      // The browser has no credentials, so responses contain only what is public.
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
