import type { ErrorRequestHandler } from 'express';
import { z } from 'zod';
import type { ErrorCode, ServiceError } from '../errors.ts';
import { beginFailure } from './failure.ts';
import type { HttpLog } from './http-services.ts';

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

/** The last error handler of `/v1`. */
export function answerOpenAiFailure(log: HttpLog): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const failure = beginFailure(thrown, { request, response, log });
    if (failure === undefined) return;
    const { error } = failure;
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
