import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { withoutFinalSlashes } from '../shared/text.ts';

/** A server with the `/v3` API, and its credentials. */
export interface V3Server {
  /** Base URL without `/v3`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly bearer?: string | undefined;
  /** Identifier of the user on whose behalf a superuser acts. */
  readonly actingFor?: string | undefined;
}

interface Call {
  readonly body?: FormData | object;
  /** Whether to retry after a lost response; only for idempotent calls. */
  readonly isRepeatable?: boolean;
}

/** Client for one server's `/v3` API, as needed for migration. Throws ServiceError with the server's own message. */
export interface V3Connection {
  readonly url: string;
  /** Returns the `results` member of the response. */
  get(path: string): Promise<unknown>;
  post(path: string, body?: FormData | object): Promise<unknown>;
  delete(path: string): Promise<void>;
  /** A file, with the media type the server states. */
  bytes(path: string): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }>;
  /** Every entry of a list, page by page, in the server's order. */
  list(path: string): AsyncGenerator<unknown, void>;
  /** Number of entries of a list. */
  count(path: string): Promise<number>;
  /** A connection on behalf of another user; only for superusers of Citewell. */
  actingFor(userId: string): V3Connection;
  /** A connection whose calls are not aborted by this connection's signal. */
  uninterrupted(): V3Connection;
}

const PAGE = 100;
const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 250;
const MAX_WAIT_MS = 60_000;

export function connectV3(server: V3Server, signal: AbortSignal): V3Connection {
  const { url, apiKey, bearer, actingFor } = server;
  const base = withoutFinalSlashes(url).replace(/\/v3$/, '');
  const headers: Record<string, string> = {
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(actingFor !== undefined && { 'x-citewell-user': actingFor }),
  };

  async function send(method: string, path: string, { body, isRepeatable = true }: Call = {}): Promise<Response> {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      let wait = FIRST_DELAY_MS * 2 ** (tries - 1);
      let failure: ServiceError;
      try {
        const response = await fetch(`${base}/v3${path}`, { ...init(method, headers, body), signal });
        if (response.ok) return response;
        failure = await refusal(base, response);
        if (!isTransient(response.status)) throw failure;
        // A request that the server rejected was not carried out, so even a POST can be retried.
        const retryAfterSeconds = Number(response.headers.get('retry-after'));
        if (retryAfterSeconds > 0) wait = Math.min(retryAfterSeconds * 1000, MAX_WAIT_MS);
        if (tries >= MAX_ATTEMPTS) throw failure;
      } catch (error) {
        if (error instanceof ServiceError || signal.aborted) throw error;
        failure = new ServiceError('provider_failed', `The server at ${base} cannot be reached: ${reasonOf(error)}.`, {
          cause: error,
        });
        if (!isRepeatable || tries >= MAX_ATTEMPTS) throw failure;
      }
      await sleep(wait, undefined, { signal });
    }
  }

  async function json(method: string, path: string, call?: Call): Promise<Answer> {
    const response = await send(method, path, call);
    const answer: unknown = await response.json().catch(() => undefined);
    if (typeof answer === 'object' && answer !== null && 'results' in answer) return answer as Answer;
    throw new ServiceError('provider_failed', `${base}/v3${path} does not answer as R2R does: there is no "results".`);
  }

  return {
    url: base,
    get: async (path) => (await json('GET', path)).results,
    post: async (path, body) => (await json('POST', path, { ...(body && { body }), isRepeatable: false })).results,
    async delete(path) {
      await send('DELETE', path);
    },
    async bytes(path) {
      const response = await send('GET', path);
      const mediaType = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? '';
      return { bytes: new Uint8Array(await response.arrayBuffer()), mediaType };
    },
    async *list(path) {
      for (let offset = 0; ; offset += PAGE) {
        const { results } = await json('GET', withPage(path, offset, PAGE));
        const page = Array.isArray(results) ? results : [];
        yield* page;
        if (page.length < PAGE) return;
      }
    },
    async count(path) {
      const { results, total_entries: total } = await json('GET', withPage(path, 0, 1));
      return total ?? (Array.isArray(results) ? results.length : 0);
    },
    actingFor: (userId) => connectV3({ ...server, actingFor: userId }, signal),
    uninterrupted: () => connectV3(server, new AbortController().signal),
  };
}

interface Answer {
  readonly results: unknown;
  readonly total_entries?: number;
}

function init(method: string, headers: Record<string, string>, body: Call['body']): RequestInit {
  if (body === undefined) return { method, headers };
  if (body instanceof FormData) return { method, headers, body };
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const withPage = (path: string, offset: number, limit: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}offset=${offset}&limit=${limit}`;

const isTransient = (status: number): boolean => status === 429 || status === 502 || status === 503 || status === 504;

function reasonOf(error: unknown): string {
  const { code, message } = (error instanceof Error ? (error.cause ?? error) : {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return typeof code === 'string' ? code : typeof message === 'string' && message !== '' ? message : 'no answer';
}

async function refusal(base: string, response: Response): Promise<ServiceError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { message, detail } = Object(body) as { readonly message?: unknown; readonly detail?: unknown };
  const inner = Object(detail) as { readonly message?: unknown };
  const words = [message, inner.message, detail].find((each) => typeof each === 'string') ?? 'no reason given';
  const text = `${base} refused with status ${response.status}: ${String(words)}`;
  switch (response.status) {
    case 400:
    case 422:
      return new ServiceError('invalid_request', text);
    case 401:
      return new ServiceError('unauthenticated', text);
    case 403:
      return new ServiceError('forbidden', text);
    case 404:
      return new ServiceError('not_found', text);
    case 409:
      return new ServiceError('conflict', text);
    default:
      return new ServiceError('provider_failed', text);
  }
}
