import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import type { Model } from './model.ts';
import { ProviderError } from './provider-error.ts';

export interface StreamLimits {
  /** Maximum number of open streams. */
  readonly maxOpen: number;
  /** Maximum number of waiting streams; further ones are refused. */
  readonly maxWaiting: number;
  /** Milliseconds a stream waits before it is refused. */
  readonly maxWaitMs: number;
}

export const DEFAULT_MAX_STREAMS = 128;

/** Length of the queue per open stream. */
const MAX_WAITING_PER_STREAM = 8;
const MAX_WAIT_MS = 120_000;
/** Seconds in the `retry-after` of refused callers. */
const RETRY_AFTER_SECONDS = 10;

export const streamLimits = (concurrency: number): StreamLimits => ({
  maxOpen: concurrency,
  maxWaiting: concurrency * MAX_WAITING_PER_STREAM,
  maxWaitMs: MAX_WAIT_MS,
});

/** Slots for the open streams of one provider, shared by all its models. */
export interface StreamSlots {
  /** Waits for a slot; returns its release function. Throws `rate_limited` if the queue is full or the wait is long. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

/** `label` is the display name of the provider. */
export function createStreamSlots(label: string, { maxOpen, maxWaiting, maxWaitMs }: StreamLimits): StreamSlots {
  const limit = pLimit(maxOpen);
  let waitingNow = 0;
  const refusal = (): ProviderError => {
    const problem = `${label} is writing ${maxOpen} answers already, and others are waiting for it. Try again in a while`;
    const remedy = 'CITEWELL_MODEL_STREAMS says how many it may write at the same time';
    return new ProviderError('rate_limited', `${problem}; ${remedy}.`, 'other_provider', {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  };
  return {
    async acquire(signal) {
      if (limit.activeCount >= maxOpen && waitingNow >= maxWaiting) throw refusal();
      const slot = new Promise<() => void>((begin) => {
        void limit(() => new Promise<void>((release) => begin(release)));
      });
      const left = Promise.withResolvers<never>();
      const cancel = () => left.reject(new ServiceError('cancelled', 'The request was cancelled.'));
      const stopListening = onAbort(signal, cancel);
      const timer = setTimeout(() => left.reject(refusal()), maxWaitMs);
      waitingNow++;
      try {
        return await Promise.race([left.promise, slot]);
      } catch (error) {
        void slot.then((release) => release());
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
export function withConcurrencyLimit(model: Model, slots: StreamSlots): Model {
  return {
    name: model.name,
    async *stream(request) {
      const release = await slots.acquire(request.signal);
      try {
        yield* model.stream(request);
      } finally {
        release();
      }
    },
  };
}
