import { setTimeout as delayed } from 'node:timers/promises';
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
  /** Milliseconds to pause before a retry; undefined when none may help. Counts the retry. */
  next(error: unknown): number | undefined;
  /** Throws `cancelled` on abort. */
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** Waits and returns true when a retry may help, else returns false. Throws `cancelled` on abort. */
  wait(error: unknown, signal: AbortSignal | undefined): Promise<boolean>;
}

/** Sleep function and source of randomness of a back-off. */
export interface BackoffParts {
  /** A number from 0 to below 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

const realParts: BackoffParts = {
  random: Math.random,
  sleep: (milliseconds, signal) => delayed(milliseconds, undefined, signal === undefined ? {} : { signal }),
};

/** The retries of one call, which share the number of tries and the total pause. */
export function createBackoff(policy: RetryPolicy, { random, sleep }: BackoffParts = realParts): Backoff {
  let tries = 1;
  let waited = 0;
  const next = (error: unknown): number | undefined => {
    if (remedyFor(error) !== 'retry' || tries >= policy.maxTries) return undefined;
    const delay = askedDelay(error) ?? backoffDelay(tries, policy, random);
    if (waited + delay > policy.maxTotalWaitMs) return undefined;
    tries++;
    waited += delay;
    return delay;
  };
  const pause = async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
    try {
      await sleep(milliseconds, signal);
    } catch (error) {
      throw new ServiceError('cancelled', 'The request was cancelled.', { cause: error });
    }
  };
  return {
    next,
    pause,
    async wait(error, signal) {
      const delay = next(error);
      if (delay === undefined) return false;
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
