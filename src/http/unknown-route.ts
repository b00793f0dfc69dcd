import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

/** Answers 405 for known paths under other methods; placed last on a route. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  return (request, response) => {
    const allowed = methods.join(', ');
    response.set('Allow', allowed);
    response.status(405).json({
      message: `${request.method} is not supported at ${request.baseUrl}${request.path}; use ${allowed}.`,
      error_type: 'R2RException',
      code: 'invalid_request',
    });
  };
}

export const unknownRoute: RequestHandler = (request) => {
  throw new ServiceError('not_found', `There is no route ${request.method} ${request.baseUrl}${request.path}.`);
};
