import type { Request } from 'express';

/** The caller's address; behind a trusted proxy, the one that the proxy reports. */
export const callerAddress = (request: Request): string => request.ip ?? '';
