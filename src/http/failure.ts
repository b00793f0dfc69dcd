import type { ErrorRequestHandler } from 'express';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { HttpLog } from './http-services.ts';
import { requestIdOf } from './request-id.ts';

/** The one place that knows what a code means in HTTP (r2r-v3.md 1.2). */
const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_field: 422,
  unauthenticated: 401,
  token_expired: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  rate_limited: 429,
  unknown_model: 400,
  not_configured: 503,
  embedding_mismatch: 503,
  provider_failed: 502,
  store_failed: 503,
  timeout: 504,
  cancelled: 503,
  internal: 500,
};

export interface Failure {
  readonly status: number;
  readonly error: ServiceError;
  /** False when the words are ours in place of something a caller must not read. */
  readonly isExpected: boolean;
}

/** Any thrown value as what a caller may know of it. Stack traces, causes and foreign messages stay inside. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof ServiceError) {
    return { status: statusOfCode[thrown.code], error: asTold(thrown), isExpected: thrown.code !== 'internal' };
  }
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return { status: statusOfCode.cancelled, error: new ServiceError('cancelled', 'Cancelled.'), isExpected: true };
  }
  if (isOfConnection(thrown)) {
    return { status: 400, error: new ServiceError('invalid_request', 'The request was cut off.'), isExpected: true };
  }
  const refused = refusedByParser(thrown);
  if (refused !== undefined) return { ...refused, isExpected: true };
  const error = new ServiceError('internal', 'Something went wrong inside the service; its log says what.');
  return { status: 500, error, isExpected: false };
}

/** The error in the words that callers may read. */
function asTold(error: ServiceError): ServiceError {
  const { code, told, issues, retryAfter, challenge } = error;
  if (told === error.message) return error;
  const rest = { ...(retryAfter !== undefined && { retryAfter }), ...(challenge !== undefined && { challenge }) };
  return new ServiceError(code, told, { cause: error, issues, ...rest });
}

/** The last handler: what was thrown becomes a response (r2r-v3.md 1.2), or the end of one that has begun. */
export function answerFailure(log: HttpLog): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    // Whoever read the body was told so by the connection, and nobody is left to be told.
    if (request.readableAborted && codeOf(thrown) === 'ECONNRESET') {
      response.destroy();
      return;
    }
    const { status, error, isExpected } = toFailure(thrown);
    const context = { requestId: requestIdOf(response), method: request.method, path: request.path };
    if (!isExpected) log.error({ ...context, err: thrown }, 'A request failed unexpectedly.');
    else if (status >= 500 && !response.destroyed) log.warn({ ...context, err: thrown }, error.message);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error.retryAfter !== undefined) response.set('Retry-After', String(Math.ceil(error.retryAfter)));
    if (status === 401) response.set('WWW-Authenticate', error.challenge ?? 'Bearer realm="citewell"');
    // A file that could not be sent may have left its own type.
    response.status(status).type('json').json(toFailureBody(error));
  };
}

/** `message` for every client, `detail` beside it for validation, `code` for programs of ours. */
function toFailureBody(error: ServiceError) {
  return {
    message: error.message,
    error_type: 'R2RException',
    code: error.code,
    // Clients get themselves a new token when they read this (r2r-v3.md 1.2).
    ...(error.code === 'token_expired' ? { error_code: 'TOKEN_EXPIRED' } : {}),
    ...(error.code === 'invalid_field' ? { detail: error.issues } : {}),
    ...(error.code === 'rate_limited' ? { detail: error.message } : {}),
  };
}

/** The client hung up in the middle of a request, or went on with what is no HTTP, while it was being answered. */
const isOfConnection = (thrown: unknown): boolean => codeOf(thrown).startsWith('HPE_');

const codeOf = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '');

/** Errors of the body and path parsers under Express carry a 4xx status and mark words fit for callers. */
function refusedByParser(thrown: unknown): { readonly status: number; readonly error: ServiceError } | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return undefined;
  const { status } = thrown;
  if (status < 400 || status >= 500) return undefined;
  if (status === 413) return { status, error: new ServiceError('too_large', 'The request body is too large.') };
  if (status === 415) {
    return {
      status,
      error: new ServiceError('unsupported_type', 'The encoding of the request body is not supported.'),
    };
  }
  if (status === 416) return { status, error: new ServiceError('invalid_request', 'There is no such range of bytes.') };
  const message = 'type' in thrown && thrown.type === 'request.aborted' ? 'The request was cut off.' : 'Bad request.';
  return { status: 400, error: new ServiceError('invalid_request', message) };
}
