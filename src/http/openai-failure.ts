import type { ErrorRequestHandler } from 'express';
import { z } from 'zod';
import type { ErrorCode, ServiceError } from '../errors.ts';
import { toFailure } from './failure.ts';
import type { HttpLog } from './http-services.ts';
import { requestIdOf } from './request-id.ts';

export const chatFailure = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
    }),
  })
  .meta({ id: 'ChatFailure' });

/** Converts an error to OpenAI's format, whose message its clients show to users. */
export function openAiError(error: ServiceError) {
  const isModel = error.code === 'unknown_model';
  const [issue] = error.issues;
  return {
    error: {
      message: error.message,
      type: typeOf(error.code),
      param: issue?.loc.slice(1).join('.') ?? (isModel ? 'model' : null),
      code: isModel ? 'model_not_found' : error.code,
    },
  };
}

/** The error that a stream reports instead of what it threw, which is logged if it is unexpected. */
export function streamError(thrown: unknown, signal: AbortSignal, log: HttpLog): ServiceError {
  const { error, isExpected } = toFailure(signal.aborted ? signal.reason : thrown);
  if (!isExpected) log.error({ err: thrown }, 'A stream failed unexpectedly.');
  return error;
}

/** The last error handler of `/v1`. */
export function answerOpenAiFailure(log: HttpLog): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const failure = toFailure(thrown);
    const { error, isExpected } = failure;
    const context = { requestId: requestIdOf(response), method: request.method, path: request.path };
    if (!isExpected) log.error({ ...context, err: thrown }, 'A request failed unexpectedly.');
    else if (failure.status >= 500 && !response.destroyed) log.warn({ ...context, err: thrown }, error.message);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error.retryAfter !== undefined) response.set('Retry-After', String(Math.ceil(error.retryAfter)));
    if (failure.status === 401) response.set('WWW-Authenticate', error.challenge ?? 'Bearer realm="citewell"');
    // OpenAI has no 422, and answers 404 for an unknown model.
    const status = error.code === 'unknown_model' ? 404 : failure.status === 422 ? 400 : failure.status;
    response.status(status).json(openAiError(error));
  };
}

function typeOf(code: ErrorCode): string {
  switch (code) {
    case 'unauthenticated':
    case 'token_expired':
      return 'authentication_error';
    case 'forbidden':
      return 'permission_error';
    case 'rate_limited':
      return 'rate_limit_error';
    case 'not_configured':
    case 'embedding_mismatch':
    case 'provider_failed':
    case 'store_failed':
    case 'timeout':
    case 'cancelled':
    case 'internal':
      return 'server_error';
    default:
      return 'invalid_request_error';
  }
}
