import type { Model, ModelEvent } from './model.ts';
import { recoverStream } from './recover-stream.ts';
import { type BackoffParts, createBackoff, defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';

/** Shorter pauses are not reported. */
const MIN_REPORTED_MS = 3_000;

/** The same model with retries, as long as no event has been emitted. */
export function withRetry(model: Model, policy: RetryPolicy = defaultRetryPolicy, backoffParts?: BackoffParts): Model {
  return {
    name: model.name,
    stream(request) {
      const backoff = createBackoff(policy, backoffParts);
      const attempt = (): AsyncIterable<ModelEvent> =>
        recoverStream(model.stream(request), (error) => {
          const delay = backoff.next(error);
          if (delay === undefined) throw error;
          return attemptAfter(delay);
        });
      async function* attemptAfter(delay: number): AsyncGenerator<ModelEvent, void> {
        if (delay >= MIN_REPORTED_MS) yield { type: 'waiting', seconds: Math.ceil(delay / 1_000) };
        await backoff.pause(delay, request.signal);
        yield* attempt();
      }
      return attempt();
    },
  };
}
