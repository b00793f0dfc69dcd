import type { ErrorRequestHandler, Request, Response } from 'express';
import { type Audience, type ErrorCode, messageFor, reasonFor, ServiceError } from '../errors.ts';
import { audienceOf } from './authenticate.ts';
import type { HttpLog } from './http-services.ts';
import { traceIdOf } from './observe-requests.ts';
import { requestIdOf } from './request-id.ts';

/** HTTP status of each error code (docs/contract.md 1.2). No other file maps codes to statuses. */
const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_field: 422,
  unauthenticated: 401,
  token_expired: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  range_not_satisfiable: 416,
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
  /** False when the message replaces one that the caller must not see. */
  readonly isExpected: boolean;
}

/**
 * Converts any thrown value into what the caller may see. Stack traces, causes and messages of other systems are not
 * exposed, and to members nor are addresses, accounts and settings of the server.
 */
export function toFailure(thrown: unknown, audience: Audience): Failure {
  if (thrown instanceof ServiceError) {
    return {
      status: statusOfCode[thrown.code],
      error: withMessageFor(thrown, audience),
      isExpected: thrown.code !== 'internal',
    };
  }
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return { status: statusOfCode.cancelled, error: new ServiceError('cancelled', 'Cancelled.'), isExpected: true };
  }
  if (isOfConnection(thrown)) {
    return { status: 400, error: new ServiceError('invalid_request', 'The request was incomplete.'), isExpected: true };
  }
  const refused = refusedByParser(thrown);
  if (refused !== undefined) return { ...refused, isExpected: true };
  const error = new ServiceError('internal', 'Internal error; see the server log.');
  return { status: 500, error, isExpected: false };
}

/** The error with the message for these readers. */
function withMessageFor(error: ServiceError, audience: Audience): ServiceError {
  const { code, issues, retryAfter, challenge, unread } = error;
  const message = messageFor(error, audience);
  const failedCheck = error.failedCheck && reasonFor(error.failedCheck, audience);
  if (message === error.message && failedCheck === error.failedCheck) return error;
  const rest = { ...(retryAfter !== undefined && { retryAfter }), ...(challenge !== undefined && { challenge }) };
  return new ServiceError(code, message, { cause: error, issues, unread, failedCheck, ...rest });
}

/** The last error handler: sends the error body (docs/contract.md 1.2), or aborts a response that has begun. */
export function answerFailure(log: HttpLog): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const failure = beginFailure(thrown, { request, response, log });
    if (failure === undefined) return;
    const traceId = traceIdOf(response);
    // A failed file download may already have set its own content type.
    response
      .status(failure.status)
      .type('json')
      .json({ ...toFailureBody(failure.error), ...(traceId && { trace_id: traceId }) });
  };
}

interface FailedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly log: HttpLog;
}

/**
 * Logs a failure and sets the headers of its response. Returns what the body should say; undefined if no response can
 * be sent, because it has begun or the client has closed the connection.
 */
export function beginFailure(thrown: unknown, { request, response, log }: FailedRequest): Failure | undefined {
  const isDisconnect = request.readableAborted && codeOf(thrown) === 'ECONNRESET';
  const failure = toFailure(thrown, audienceOf(response));
  const { status, error, isExpected } = failure;
  const context = { requestId: requestIdOf(response), method: request.method, path: request.path, err: thrown };
  if (!isExpected && !isDisconnect) log.error(context, 'A request failed unexpectedly.');
  else if (isExpected && (status >= 500 || isShortened(thrown, error)) && !response.destroyed) {
    log.warn(context, messageOf(thrown, error));
  }
  if (isDisconnect || response.headersSent || response.destroyed) {
    response.destroy();
    return undefined;
  }
  if (error.retryAfter !== undefined) response.set('Retry-After', String(Math.ceil(error.retryAfter)));
  if (status === 401) response.set('WWW-Authenticate', error.challenge ?? 'Bearer realm="citewell"');
  return failure;
}

interface StreamReader {
  readonly audience: Audience;
  readonly log: HttpLog;
}

/**
 * The error that a stream reports to its reader instead of what it threw. Logged if it is unexpected, or if the
 * administrator needs what the reader is not told.
 */
export function streamError(thrown: unknown, { audience, log }: StreamReader): ServiceError {
  const { error, isExpected } = toFailure(thrown, audience);
  if (!isExpected) log.error({ err: thrown }, 'A stream failed unexpectedly.');
  else if (isShortened(thrown, error)) log.warn({ err: thrown }, messageOf(thrown, error));
  return error;
}

/** Whether the caller reads less than the error says. */
const isShortened = (thrown: unknown, shown: ServiceError): boolean => messageOf(thrown, shown) !== shown.message;

/** The whole message of an expected failure, for the log. */
const messageOf = (thrown: unknown, shown: ServiceError): string =>
  thrown instanceof ServiceError ? thrown.message : shown.message;

/** `message` is for every client, `detail` adds validation errors, and the other members are for our own programs. */
function toFailureBody(error: ServiceError) {
  return {
    message: error.message,
    error_type: 'R2RException',
    code: error.code,
    ...(error.unread !== undefined && { unread: error.unread }),
    ...(error.failedCheck !== undefined && { failed_check: error.failedCheck }),
    // Clients refresh their token when they see this code (docs/contract.md 1.2).
    ...(error.code === 'token_expired' ? { error_code: 'TOKEN_EXPIRED' } : {}),
    ...(error.code === 'invalid_field' ? { detail: error.issues } : {}),
    ...(error.code === 'rate_limited' ? { detail: error.message } : {}),
  };
}

/** The client closed the connection during the request, or sent something that is not HTTP. */
const isOfConnection = (thrown: unknown): boolean => codeOf(thrown).startsWith('HPE_');

const codeOf = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '');

/** Converts errors of Express's body and path parsers, which have a 4xx status; undefined for other errors. */
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
  if (status === 416)
    return { status, error: new ServiceError('invalid_request', 'The requested range is outside the file.') };
  return { status: 400, error: new ServiceError('invalid_request', reasonOf(thrown)) };
}

function reasonOf(thrown: Error): string {
  if ('type' in thrown && thrown.type === 'request.aborted') return 'The request was incomplete.';
  if (thrown instanceof URIError) return 'The address contains an invalid percent-encoding.';
  if (codeOf(thrown).startsWith('Z_')) return 'The body could not be decompressed as its Content-Encoding says.';
  return 'Bad request.';
}
