import { ServiceError } from '../errors.ts';
import type { Model, ModelRequest } from './model.ts';
import { remedyFor } from './provider-error.ts';

/**
 * Uses the second model when the first fails before its first event for a reason that another provider may not have.
 * Invalid and cancelled requests do not fall back.
 */
export function withFallback(first: Model, second: Model): Model {
  return {
    name: first.name,
    async *stream(request) {
      let hasBegun = false;
      try {
        for await (const event of first.stream(request)) {
          hasBegun = true;
          yield event;
        }
        return;
      } catch (error) {
        if (hasBegun || request.signal.aborted || remedyFor(error) === 'none') throw error;
        yield* fallBack(error, second, request);
      }
    },
  };
}

async function* fallBack(failure: unknown, model: Model, request: ModelRequest) {
  let hasBegun = false;
  try {
    for await (const event of model.stream(request)) {
      hasBegun = true;
      yield event;
    }
  } catch (error) {
    if (hasBegun || !(failure instanceof ServiceError) || !(error instanceof ServiceError)) throw error;
    if (error.code === 'cancelled') throw error;
    throw new ServiceError(
      failure.code,
      `${failure.message} The fallback model ${model.name} failed too: ${error.message}`,
      { cause: failure, ...(failure.retryAfter !== undefined && { retryAfter: failure.retryAfter }) },
    );
  }
}
