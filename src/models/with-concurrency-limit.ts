import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import type { Model } from './model.ts';
import { ProviderError } from './provider-error.ts';

export interface StreamLimits {
  /** Maximum number of open streams. */
  readonly atOnce: number;
  /** Maximum number of waiting streams; further ones are refused. */
  readonly waiting: number;
  /** Milliseconds a stream waits before it is refused. */
  readonly patience: number;
}

export const DEFAULT_STREAMS = 128;

/** Length of the queue per open stream. */
const WAITING_PER_STREAM = 8;
const PATIENCE = 120_000;
/** Seconds in the `retry-after` of refused callers. */
const RETRY_AFTER = 10;

export const streamLimits = (atOnce: number): StreamLimits => ({
  atOnce,
  waiting: atOnce * WAITING_PER_STREAM,
  patience: PATIENCE,
});

/** Concurrency limit of one provider, shared by all its models. `label` is its display name. */
export interface KeyedLimit {
  /** Waits for a slot; returns its release function. Throws `rate_limited` when the queue is full or the wait too long. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createKeyedLimit(label: string, { atOnce, waiting, patience }: StreamLimits): KeyedLimit {
  const limit = pLimit(atOnce);
  let waitingNow = 0;
  const refusal = (): ProviderError => {
    const what = `${label} is writing ${atOnce} answers already, and others are waiting for it. Try again in a while`;
    const how = 'CITEWELL_MODEL_STREAMS says how many it may write at the same time';
    return new ProviderError('rate_limited', `${what}; ${how}.`, 'other_provider', { retryAfter: RETRY_AFTER });
  };
  return {
    async take(signal) {
      if (limit.activeCount >= atOnce && waitingNow >= waiting) throw refusal();
      const turn = new Promise<() => void>((begin) => {
        void limit(() => new Promise<void>((release) => begin(release)));
      });
      const left = Promise.withResolvers<never>();
      const cancel = () => left.reject(new ServiceError('cancelled', 'The request was cancelled.'));
      const stopListening = onAbort(signal, cancel);
      const timer = setTimeout(() => left.reject(refusal()), patience);
      waitingNow++;
      try {
        return await Promise.race([left.promise, turn]);
      } catch (error) {
        void turn.then((release) => release());
        throw error;
      } finally {
        waitingNow--;
        clearTimeout(timer);
        stopListening();
      }
    },
  };
}

/** The same model with a concurrency limit on its streams. */
export function withConcurrencyLimit(model: Model, turns: KeyedLimit): Model {
  return {
    name: model.name,
    async *stream(request) {
      const release = await turns.take(request.signal);
      try {
        yield* model.stream(request);
      } finally {
        release();
      }
    },
  };
}
