import { inTurn } from '../in-turn.ts';
import { texts } from '../texts.ts';

interface RequestFailureOptions extends ErrorOptions {
  readonly code?: string;
  readonly unread?: string | undefined;
  readonly failedCheck?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** An error response of the service, or a failed connection (status 0). */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly status: number;
  /** The service's error code; empty without an answer of the service. */
  readonly code: string;
  /** Why a file of an unsupported type is not read. */
  readonly unread: string | undefined;
  /** What a check of the server found, if the same request can be sent without that check. */
  readonly failedCheck: string | undefined;
  /** Seconds after which another attempt can succeed, if the service named them. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    { code = '', unread, failedCheck, retryAfter, ...options }: RequestFailureOptions = {},
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.unread = unread;
    this.failedCheck = failedCheck;
    this.retryAfter = retryAfter;
  }
}

/** Whether a request failed because the service is out of reach: down, restarting behind a proxy, or without a network. */
export const isAway = (error: unknown): boolean =>
  error instanceof RequestFailure && (error.status === 0 || (error.code === '' && GATEWAY.has(error.status)));

/** Whether what was requested does not exist, or belongs to somebody else. */
export const isGone = (error: unknown): boolean => error instanceof RequestFailure && error.status === 404;

/** Statuses of a proxy whose service does not answer. */
const GATEWAY = new Set([502, 503, 504]);

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Sent as JSON, except form data, which is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Called when the service requires a sign-in. */
let onSignedOut: () => void = () => {};
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener;
};

/** The response of a successful request. Throws `RequestFailure`. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  let response = await attempt(path, options);
  // Retries once with refreshed tokens, except for the session endpoint itself.
  if (response.status === 401 && path !== SESSION && (await refreshed())) {
    void response.body?.cancel();
    response = await attempt(path, options);
  }
  if (response.ok) return response;
  if (response.status === 401) onSignedOut();
  const answer: unknown = await response.json().catch(() => undefined);
  const {
    message,
    code,
    unread,
    failed_check: failedCheck,
  } = Object(answer) as Readonly<Record<'message' | 'code' | 'unread' | 'failed_check', unknown>>;
  throw new RequestFailure(response.status, typeof message === 'string' ? message : texts.status(response.status), {
    ...(typeof code === 'string' && { code }),
    ...(typeof unread === 'string' && { unread }),
    ...(typeof failedCheck === 'string' && { failedCheck }),
    retryAfter: secondsOf(response.headers.get('Retry-After')),
  });
}

/** The service sends seconds; a proxy may also send a date, which is ignored. */
const secondsOf = (retryAfter: string | null): number | undefined =>
  retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;

const SESSION = '/session';
let refreshing: Promise<boolean> | undefined;

/** Refreshes the session; concurrent requests share one refresh. Throws `RequestFailure` if the server is away. */
function refreshed(): Promise<boolean> {
  refreshing ??= inTurn(SESSION, refresh).finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function refresh(): Promise<boolean> {
  // Another tab may have done it meanwhile.
  if ((await statusOf(USER)) !== 401) return true;
  const status = await statusOf(SESSION, { method: 'PUT' });
  // A limit of the rate, or a failure, does not mean that the session is over.
  if (status === 429 || status >= 500) throw new RequestFailure(status, texts.status(status));
  return status < 400;
}

const USER = '/v3/users/me';

async function statusOf(path: string, options: RequestOptions = {}): Promise<number> {
  const { status, body } = await attempt(path, options);
  // An unread body would occupy one of the browser's few connections.
  void body?.cancel();
  return status;
}

function attempt(path: string, { method = 'GET', query, body, headers, signal }: RequestOptions): Promise<Response> {
  return fetch(path + queryText(query), {
    method,
    credentials: 'same-origin',
    headers: {
      ...headers,
      ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    throw new RequestFailure(0, texts.unreachable, { cause });
  });
}

/** The `results` of a response under `/v3`. */
export async function call<T>(path: string, options?: RequestOptions): Promise<T> {
  const { results } = (await (await send(path, options)).json()) as { readonly results: T };
  return results;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** One page of a list under `/v3`, with the total count. */
export async function callList<T>(path: string, options?: RequestOptions): Promise<Listed<T>> {
  const answer = (await (await send(path, options)).json()) as {
    readonly results: readonly T[];
    readonly total_entries: number;
  };
  return { items: answer.results, total: answer.total_entries };
}

/** Message for any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function queryText(query: RequestOptions['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    if (typeof value === 'object') for (const each of value) parameters.append(name, each);
    else parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
