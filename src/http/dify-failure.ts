import type { ErrorRequestHandler } from 'express';
import { audienceOf } from './authenticate.ts';
import { toFailure } from './failure.ts';

/** Dify treats 403 as a wrong key. After a 401 it would save the endpoint, and later searches would find nothing. */
export const answerWrongKeyToDify: ErrorRequestHandler = (thrown, request, response, next) => {
  const { status, error } = toFailure(thrown, audienceOf(response));
  if (status !== 401 || response.headersSent || request.get('Authorization') === undefined) return next(thrown);
  response.status(403).json({ error_code: 1002, error_msg: error.message });
};
