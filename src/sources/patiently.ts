import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';

const TRIES = 3;
const LONGEST_WAIT_S = 300;

/** Retries work that failed for a transient reason, honouring the server's `retryAfter`. */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      const isPassing =
        error instanceof ServiceError && ['provider_failed', 'timeout', 'rate_limited'].includes(error.code);
      if (!isPassing || tried === TRIES || (error.retryAfter ?? 0) > LONGEST_WAIT_S) throw error;
      await sleep((error.retryAfter ?? tried) * 1000, undefined, { signal });
    }
  }
}
