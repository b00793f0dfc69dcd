import type { Model, ModelEvent } from './model.ts';
import { recoverStream } from './recover-stream.ts';
import { type BackoffParts, createBackoff, defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';

/** The same model with retries, as long as no event has been emitted. */
export function withRetry(model: Model, policy: RetryPolicy = defaultRetryPolicy, backoffParts?: BackoffParts): Model {
  return {
    name: model.name,
    stream(request) {
      const backoff = createBackoff(policy, backoffParts);
      const attempt = (): AsyncIterable<ModelEvent> =>
        recoverStream(model.stream(request), async (error) => {
          if (await backoff.wait(error, request.signal)) return attempt();
          throw error;
        });
      return attempt();
    },
  };
}
