import { basename } from 'node:path';
import type { Agent, Dispatcher } from 'undici';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import { type AddressRules, checkAddress, readAddress } from './address-rules.ts';
import { decompress } from './decompress.ts';
import { credentialsOf, isForwarded, noProxy, type ProxySettings, proxyFor } from './proxy.ts';
import type { Resolve } from './resolve-name.ts';

/** ETag and Last-Modified of a response, for conditional requests. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface FetchedPage {
  /** Final URL after redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Media type without parameters; undefined if the server sent none. */
  readonly mediaType?: string;
  /** As sent by the server; the page may declare another one. */
  readonly charset?: string;
  /** The last part of the path, or the host; used to detect the format. */
  readonly fileName: string;
  readonly validators: Validators;
  /** Seconds for which the response is fresh; undefined if the server does not specify it, 0 if not to be stored. */
  readonly freshFor?: number;
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Called before each request, including redirects; an error it throws ends the fetch. */
  readonly admit?: (url: URL, signal: AbortSignal) => Promise<void>;
  /** Validators of the cached page; if it has not changed, the result is `unchanged`. */
  readonly known?: Validators;
  readonly language?: string;
}

/** Fetches web pages with limits on size, time and redirects; every step respects the address rules. */
export interface PageFetcher {
  /**
   * Throws `forbidden` for an address that the rules disallow, `invalid_request` for an invalid one, `too_large`,
   * `unsupported_type`, `timeout`, `rate_limited`, `cancelled`, and `provider_failed` with the status or the reason.
   */
  fetch(address: string, options: FetchOptions): Promise<FetchedPage | 'unchanged'>;
  close(): Promise<void>;
}

export interface FetcherParts {
  readonly rules: AddressRules;
  readonly proxy?: ProxySettings;
  /** Name resolution; replaced in tests. */
  readonly resolve?: Resolve;
}

const MAX_BYTES = 30_000_000;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
export const USER_AGENT = 'citewell';

/** Media types without readable text, which are not downloaded; SVG contains text but is not a page. */
const UNREADABLE = /^(?:image|audio|video|font|model)\//;

export function createPageFetcher({ rules, proxy = noProxy, resolve }: FetcherParts): PageFetcher {
  let opening: Promise<Agent> | undefined;
  // The HTTP client is loaded lazily, on the first fetch.
  const openAgent = () => {
    opening ??= import('./guarded-agent.ts').then(({ createGuardedAgent }) =>
      createGuardedAgent({ rules, proxy, resolve }),
    );
    return opening;
  };
  return {
    async fetch(address, options) {
      const { timeoutMs = TIMEOUT_MS } = options;
      const deadline = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([options.signal, deadline]);
      try {
        return await followRedirects(
          readAddress(address),
          { ...options, signal },
          { agent: await openAgent(), rules, proxy },
        );
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
    close: async () => (await opening)?.destroy(),
  };
}

interface FetchContext {
  readonly agent: Agent;
  readonly rules: AddressRules;
  readonly proxy: ProxySettings;
}

async function followRedirects(
  start: URL,
  options: FetchOptions,
  { agent, rules, proxy }: FetchContext,
): Promise<FetchedPage | 'unchanged'> {
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    checkAddress(url, rules);
    await options.admit?.(url, options.signal);
    const forwarder = isForwarded(url, proxy) ? proxyFor(url, proxy) : undefined;
    const response = await agent.request({
      origin: url.origin,
      path: forwarder === undefined ? `${url.pathname}${url.search}` : url.href,
      method: 'GET',
      headers: { ...requestHeaders(options), ...(forwarder && credentialsOf(forwarder)) },
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
    return toFetchedPage(response, url, options.maxBytes ?? MAX_BYTES);
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
): Promise<FetchedPage> {
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
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `max-age` in seconds; 0 if the response must not be stored. */
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
    ? new ServiceError('rate_limited', `${url.href} is rate limiting requests (status 429).`, options)
    : new ServiceError('provider_failed', `${url.href} answered with status ${status}.`, options);
}

/** The HTTP status if the fetch failed because of it. */
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
  const reason = errorMessage(error);
  return new ServiceError('provider_failed', `${address} could not be fetched: ${reason}.`, { cause: error });
}

/** Closes the connection instead of reading a body of unknown length to its end. */
function discardBody({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const HTML = new Set(['text/html', 'application/xhtml+xml']);

/**
 * A file name for a fetched page: the last part of the path, or the host. Pages generated by a program (`index.php`)
 * get the extension of their media type, and the dots of a host name are not taken for an extension.
 */
function pageFileName(url: URL, mediaType: string | undefined): string {
  const name = lastPart(url) || url.hostname;
  const isHtml = mediaType !== undefined && HTML.has(mediaType);
  if (isHtml) return /\.x?html?$/i.test(name) ? name : `${name}.html`;
  return name === url.hostname ? name.replaceAll('.', '-') : name;
}

function lastPart(url: URL): string {
  const last = basename(url.pathname);
  try {
    return decodeURIComponent(last).replaceAll(/[/\\\0]/g, '_');
  } catch {
    return last;
  }
}
