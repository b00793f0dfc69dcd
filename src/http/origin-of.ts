import type { Request } from 'express';

/** The origin under which the caller reached this service, for absolute links in responses. */
export const originOf = (request: Request): string => `${request.protocol}://${request.get('host') ?? 'localhost'}`;
