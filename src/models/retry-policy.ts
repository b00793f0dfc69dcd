import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { remedyFor } from './provider-error.ts';

export interface RetryPolicy {
  /** Including the first one. */
  readonly maxTries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Maximum total pause of one call; a longer `retry-after` is not waited for. */
  readonly maxTotalWaitMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxTries: 4,
  firstDelayMs: 500,
  maxDelayMs: 16_000,
  maxTotalWaitMs: 60_000,
};

/** Decides after each failure of one call whether to retry. */
export interface Backoff {
  /** Waits and returns true when a retry may help, else returns false. Throws `cancelled` on abort. */
  wait(error: unknown, signal: AbortSignal | undefined): Promise<boolean>;
}

export function createBackoff(policy: RetryPolicy, random: () => number = Math.random): Backoff {
  let tries = 1;
  let waited = 0;
  return {
    async wait(error, signal) {
      if (remedyFor(error) !== 'retry' || tries >= policy.maxTries) return false;
      const delay = askedDelay(error) ?? backoffDelay(tries, policy, random);
      if (waited + delay > policy.maxTotalWaitMs) return false;
      tries++;
      waited += delay;
      await pause(delay, signal);
      return true;
    },
  };
}

function askedDelay(error: unknown): number | undefined {
  const seconds = error instanceof ServiceError ? error.retryAfter : undefined;
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
}

/** Exponential backoff with jitter: between half and all of the doubled delay. */
export function backoffDelay(tries: number, policy: RetryPolicy, random: () => number): number {
  const longest = Math.min(policy.firstDelayMs * 2 ** (tries - 1), policy.maxDelayMs);
  return Math.round(longest * (0.5 + random() / 2));
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    throw new ServiceError('cancelled', 'The request was cancelled.', { cause: error });
  }
}
