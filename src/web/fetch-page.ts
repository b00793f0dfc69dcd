import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { basename } from 'node:path';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../errors.ts';
import { isPublicAddress } from './public-address.ts';

export interface FetchedPage {
  /** After redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Without parameters; undefined when the server named none. */
  readonly mediaType?: string;
  /** The last part of the path, or the host when there is none. */
  readonly fileName: string;
}

export interface FetchPageOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Lets addresses of this machine and its network through. Only for someone who asks for just that. */
  readonly allowPrivate?: boolean;
}

const MAX_BYTES = 30_000_000;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * One page or file of the public web, bounded in size and time. The address is checked when the connection is made,
 * again for each redirect, so neither a redirect nor a name that changes its mind reaches a private network.
 * Throws `invalid_request` for an address that may not be fetched, `too_large`, `timeout`, `provider_failed`.
 */
export async function fetchPage(address: string, options: FetchPageOptions): Promise<FetchedPage> {
  const { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    let url = readAddress(address);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await get(url, { signal, allowPrivate: options.allowPrivate === true });
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (REDIRECTS.has(status) && location !== undefined) {
        response.destroy();
        url = readAddress(location, url);
        continue;
      }
      if (status < 200 || status > 299) {
        response.destroy();
        throw new ServiceError('provider_failed', `${url.href} answered with status ${status}.`);
      }
      const mediaType = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      return {
        url: url.href,
        bytes: await readBody(response, url, maxBytes),
        fileName: fileNameOf(url),
        ...(mediaType !== undefined && mediaType !== '' && { mediaType }),
      };
    }
    throw new ServiceError('provider_failed', `${address} redirects more than ${MAX_REDIRECTS} times.`);
  } catch (error) {
    if (options.signal.aborted) throw new ServiceError('cancelled', 'The fetch was cancelled.', { cause: error });
    if (deadline.aborted) {
      throw new ServiceError('timeout', `${address} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
    }
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('provider_failed', `${address} could not be fetched: ${reason}.`, { cause: error });
  }
}

function fileNameOf(url: URL): string {
  const last = basename(url.pathname);
  try {
    return decodeURIComponent(last) || url.hostname;
  } catch {
    return last;
  }
}

function readAddress(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ServiceError('invalid_request', `"${address}" is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('invalid_request', `The address at ${url.host} carries a user name or password.`);
  }
  url.hash = '';
  return url;
}

function get(url: URL, options: { signal: AbortSignal; allowPrivate: boolean }): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address written in the URL is never looked up, so it is checked here.
  if (isIP(host) !== 0 && !options.allowPrivate && !isPublicAddress(host)) throw refusedAddress(url.hostname);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, {
    signal: options.signal,
    headers: { 'user-agent': 'citewell', accept: '*/*', 'accept-encoding': 'gzip, br' },
    ...(!options.allowPrivate && { lookup: publicLookup }),
  })
    .on('response', resolve)
    .on('error', reject)
    .end();
  return promise;
}

// Runs inside the connection attempt, so what is checked is what is connected to.
const publicLookup: LookupFunction = (hostname, options: LookupOptions, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const allowed = addresses?.filter(({ address }) => isPublicAddress(address)) ?? [];
    const [first] = allowed;
    if (error) callback(error, '', 0);
    else if (first === undefined) callback(refusedAddress(hostname), '', 0);
    else if (options.all) callback(null, allowed);
    else callback(null, first.address, first.family);
  });
};

const refusedAddress = (host: string): ServiceError =>
  new ServiceError('invalid_request', `${host} is not an address of the public internet; it is not fetched.`);

async function readBody(response: IncomingMessage, url: URL, maxBytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of decoded(response)) {
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > maxBytes) throw new ServiceError('too_large', `${url.href} is larger than ${maxBytes} bytes.`);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function decoded(response: IncomingMessage): NodeJS.ReadableStream {
  switch (response.headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return piped(response, createGunzip());
    case 'br':
      return piped(response, createBrotliDecompress());
    case 'deflate':
      return piped(response, createInflate());
    default:
      return response;
  }
}

function piped(response: IncomingMessage, decoder: NodeJS.ReadWriteStream & { destroy(error?: Error): unknown }) {
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}
