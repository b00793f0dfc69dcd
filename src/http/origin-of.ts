import type { Request } from 'express';

/** The address by which the caller reached this service, without a path: links in an answer begin with it. */
export const originOf = (request: Request): string => `${request.protocol}://${request.get('host') ?? 'localhost'}`;
