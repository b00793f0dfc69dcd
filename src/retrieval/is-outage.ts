import { type ErrorCode, ServiceError } from '../errors.ts';

const OUTAGES: readonly ErrorCode[] = ['provider_failed', 'rate_limited', 'timeout', 'not_configured'];

/** True for errors of a provider that is away: a search goes on without it and says so. */
export const isOutage = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && OUTAGES.includes(error.code);
