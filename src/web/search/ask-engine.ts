import type { Dispatcher } from 'undici';
import { ServiceError } from '../../errors.ts';
import type { WebQuery } from '../web-search.ts';
import type { EngineReply, SearchEngine } from './search-engine.ts';

export interface AskOptions {
  readonly dispatcherFor: (url: URL) => Promise<Dispatcher>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 5_000_000;

/**
 * Sends one query to one engine. Throws `rate_limited`, `timeout`, `unauthenticated` for a rejected key, and
 * `provider_failed` for everything else, including a response that is not JSON. Error messages never contain the
 * engine's text, which is untrusted.
 */
export async function askEngine(engine: SearchEngine, query: WebQuery, options: AskOptions): Promise<EngineReply> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    const { url, headers, body } = engine.request(query);
    const address = new URL(url);
    const dispatcher = await options.dispatcherFor(address);
    const response = await dispatcher.request({
      origin: address.origin,
      path: `${address.pathname}${address.search}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    const text = await readText(response.body, engine);
    if (response.statusCode !== 200) throw refusal(engine, response);
    return read(engine, text);
  } catch (error) {
    options.signal.throwIfAborted();
    if (deadline.aborted) {
      const seconds = options.timeoutMs / 1000;
      throw new ServiceError('timeout', `${engine.name} did not answer within ${seconds} s.`, { cause: error });
    }
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('provider_failed', `${engine.name} could not be reached.`, { cause: error });
  }
}

async function readText(body: Dispatcher.ResponseData['body'], { name }: SearchEngine): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BYTES)
      throw new ServiceError('provider_failed', `${name} answered with more than ${MAX_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function refusal({ name, advice }: SearchEngine, { statusCode, headers }: Dispatcher.ResponseData): ServiceError {
  const known = advice?.[statusCode];
  if (known !== undefined) return new ServiceError('provider_failed', known);
  if (statusCode === 429) {
    const after = String(headers['retry-after'] ?? '');
    const options = /^\d{1,6}$/.test(after) ? { retryAfter: Number(after) } : {};
    const when = options.retryAfter === undefined ? '' : ` for ${options.retryAfter} s`;
    return new ServiceError('rate_limited', `${name} is rate limiting requests${when}.`, options);
  }
  if (statusCode === 401 || statusCode === 403) {
    return new ServiceError('unauthenticated', `${name} rejected the configured API key (status ${statusCode}).`);
  }
  return new ServiceError('provider_failed', `${name} answered with status ${statusCode}.`);
}

function read(engine: SearchEngine, text: string): EngineReply {
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch (error) {
    const what = /^\s*</.test(text) ? 'a page' : 'something';
    throw new ServiceError('provider_failed', `${engine.name} answered with ${what} that is not JSON.`, {
      cause: error,
    });
  }
  try {
    return engine.read(reply);
  } catch (error) {
    throw new ServiceError('provider_failed', `${engine.name} answered in an unknown form.`, { cause: error });
  }
}
