import type { Agent, Dispatcher } from 'undici';
import { ServiceError } from '../errors.ts';
import { type AddressRules, checkAddress, readAddress } from './address-rules.ts';
import { decompress } from './decompress.ts';
import { createGuardedAgent, type Resolve } from './guarded-agent.ts';
import { pageFileName } from './page-file-name.ts';

/** What a server said by which it can be asked later whether a page has changed. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface FetchedPage {
  /** After redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Without parameters; undefined when the server named none. */
  readonly mediaType?: string;
  /** As the server named it; the page itself may say otherwise. */
  readonly charset?: string;
  /** The last part of the path, or the host when there is none; fit to tell the format by. */
  readonly fileName: string;
  readonly validators: Validators;
  /** Seconds for which the server calls the page fresh; undefined when it says nothing, 0 when it must not be kept. */
  readonly freshFor?: number;
  /** The addresses asked, first to last; one when nothing redirected. */
  readonly redirectChain: readonly string[];
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Asked before each address, redirects included; what it throws ends the fetch. */
  readonly admit?: (url: URL, signal: AbortSignal) => Promise<void>;
  /** Of the page as it is known; one that has not changed since is `unchanged`. */
  readonly known?: Validators;
  readonly language?: string;
}

/** Pages of the web, bounded in size, time and redirects, and within the rules on addresses at every step. */
export interface PageFetcher {
  /**
   * Throws `forbidden` for an address the rules do not allow, `invalid_request` for one that is none, `too_large`,
   * `unsupported_type`, `timeout`, `rate_limited`, `cancelled`, and `provider_failed` with the status or the reason.
   */
  fetch(address: string, options: FetchOptions): Promise<FetchedPage | 'unchanged'>;
  close(): Promise<void>;
}

export interface FetcherParts {
  readonly rules: AddressRules;
  /** In place of the system's; for tests. */
  readonly resolve?: Resolve;
}

const MAX_BYTES = 30_000_000;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
export const USER_AGENT = 'citewell';

/** Nothing in these can be read, so they are not even downloaded. Vector drawings are text, but no page. */
const UNREADABLE = /^(?:image|audio|video|font|model)\//;

export function createPageFetcher({ rules, resolve }: FetcherParts): PageFetcher {
  const agent = createGuardedAgent(rules, resolve);
  return {
    async fetch(address, options) {
      const { timeoutMs = TIMEOUT_MS } = options;
      const deadline = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([options.signal, deadline]);
      try {
        return await followRedirects(readAddress(address), { ...options, signal }, { agent, rules });
      } catch (error) {
        if (options.signal.aborted) throw new ServiceError('cancelled', 'The fetch was cancelled.', { cause: error });
        if (deadline.aborted) {
          throw new ServiceError('timeout', `${address} did not answer within ${timeoutMs / 1000} s.`, {
            cause: error,
          });
        }
        throw asServiceError(error, address);
      }
    },
    close: () => agent.destroy(),
  };
}

interface FetchContext {
  readonly agent: Agent;
  readonly rules: AddressRules;
}

async function followRedirects(
  start: URL,
  options: FetchOptions,
  { agent, rules }: FetchContext,
): Promise<FetchedPage | 'unchanged'> {
  const redirectChain: string[] = [];
  for (let url = start; redirectChain.length <= MAX_REDIRECTS; ) {
    checkAddress(url, rules);
    await options.admit?.(url, options.signal);
    redirectChain.push(url.href);
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: requestHeaders(options),
      signal: options.signal,
    });
    const { statusCode: status } = response;
    const location = single(response.headers['location']);
    if (REDIRECTS.has(status) && location !== undefined) {
      discardBody(response);
      url = readAddress(location, url);
      continue;
    }
    if (status === 304 && options.known !== undefined) {
      discardBody(response);
      return 'unchanged';
    }
    if (status < 200 || status > 299) {
      discardBody(response);
      throw refusedByServer(url, status, single(response.headers['retry-after']));
    }
    return { ...(await toFetchedPage(response, url, options.maxBytes ?? MAX_BYTES)), redirectChain };
  }
  throw new ServiceError('provider_failed', `${start.href} redirects more than ${MAX_REDIRECTS} times.`);
}

function requestHeaders({ known, language }: FetchOptions): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    accept: 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/xml;q=0.9,*/*;q=0.8',
    'accept-encoding': 'gzip, deflate, br',
    ...(language !== undefined && { 'accept-language': `${language},*;q=0.5` }),
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
}

async function toFetchedPage(
  { headers, body }: Dispatcher.ResponseData,
  url: URL,
  maxBytes: number,
): Promise<Omit<FetchedPage, 'redirectChain'>> {
  const contentType = single(headers['content-type']);
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() || undefined;
  const charset = /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  const etag = single(headers['etag']);
  const lastModified = single(headers['last-modified']);
  const freshFor = readFreshness(single(headers['cache-control']));
  if (mediaType !== undefined && UNREADABLE.test(mediaType)) {
    body.on('error', () => undefined).destroy();
    throw new ServiceError('unsupported_type', `${url.href} is of type ${mediaType}, which holds no text.`);
  }
  const packed = await readAll(body, { url, maxBytes, announced: Number(single(headers['content-length']) ?? 0) });
  return {
    url: url.href,
    bytes: await decompress(packed, joined(headers['content-encoding']), maxBytes),
    fileName: pageFileName(url, mediaType),
    validators: { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) },
    ...(mediaType !== undefined && { mediaType }),
    ...(charset !== undefined && { charset }),
    ...(freshFor !== undefined && { freshFor }),
  };
}

interface Bounds {
  readonly url: URL;
  readonly maxBytes: number;
  readonly announced: number;
}

async function readAll(body: Dispatcher.ResponseData['body'], { url, maxBytes, announced }: Bounds): Promise<Buffer> {
  const tooLarge = () => new ServiceError('too_large', `${url.href} is larger than ${maxBytes} bytes.`);
  if (announced > maxBytes) {
    body.on('error', () => undefined).destroy();
    throw tooLarge();
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    // Leaving the loop ends the connection.
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `max-age` in seconds; 0 for what must not be kept. */
function readFreshness(cacheControl: string | undefined): number | undefined {
  if (cacheControl === undefined) return undefined;
  if (/\bno-(?:store|cache)\b|\bprivate\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function refusedByServer(url: URL, status: number, retryAfter: string | undefined): ServiceError {
  const seconds = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const options = { cause: { status }, ...(seconds !== undefined && { retryAfter: seconds }) };
  return status === 429
    ? new ServiceError('rate_limited', `${url.href} asks to be asked less often (status 429).`, options)
    : new ServiceError('provider_failed', `${url.href} answered with status ${status}.`, options);
}

/** The status by which a server refused, where that is why a fetch failed. */
export function statusOf(error: unknown): number | undefined {
  const cause: unknown = error instanceof ServiceError ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'status' in cause && typeof cause.status === 'number'
    ? cause.status
    : undefined;
}

function asServiceError(error: unknown, address: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ServiceError) return cause;
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError('provider_failed', `${address} could not be fetched: ${reason}.`, { cause: error });
}

/** The body is not wanted: the connection is closed rather than read to its end, however long that is. */
function discardBody({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;
