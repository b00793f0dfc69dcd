import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

const HEADER = 'X-Request-Id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/**
 * Gives every request an id, which appears in its response and in every log line about it. A valid id from the caller
 * is kept.
 */
export const nameRequest: RequestHandler = (request, response, next) => {
  const given = request.get(HEADER);
  response.set(HEADER, given !== undefined && ACCEPTABLE.test(given) ? given : randomUUID());
  next();
};

export const requestIdOf = (response: Response): string => response.get(HEADER) ?? '';
