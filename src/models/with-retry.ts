import type { Model } from './model.ts';
import { createBackoff, defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';

/** The same model with retries, as long as no event has been emitted. */
export function withRetry(model: Model, policy: RetryPolicy = defaultRetryPolicy): Model {
  return {
    name: model.name,
    async *stream(request) {
      const backoff = createBackoff(policy);
      for (;;) {
        let hasBegun = false;
        try {
          for await (const event of model.stream(request)) {
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          if (hasBegun || !(await backoff.wait(error, request.signal))) throw error;
        }
      }
    },
  };
}
