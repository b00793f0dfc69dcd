import { type ErrorCode, ServiceError } from '../errors.ts';

const OUTAGES: readonly ErrorCode[] = ['provider_failed', 'rate_limited', 'timeout', 'not_configured'];

/** True for errors of an unavailable provider: the search continues without it and adds a note. */
export const isOutage = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && OUTAGES.includes(error.code);
