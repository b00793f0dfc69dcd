import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';

const MAX_TRIES = 3;
const MAX_WAIT_S = 300;

/** Retries work that failed for a transient reason, honouring the server's `retryAfter`. */
export async function withRetries<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isTransient =
        error instanceof ServiceError && ['provider_failed', 'timeout', 'rate_limited'].includes(error.code);
      if (!isTransient || attempt === MAX_TRIES || (error.retryAfter ?? 0) > MAX_WAIT_S) throw error;
      await sleep((error.retryAfter ?? attempt) * 1000, undefined, { signal });
    }
  }
}
