import { ServiceError } from '../errors.ts';
import type { Model } from './model.ts';
import { remedyFor } from './provider-error.ts';
import { recoverStream } from './recover-stream.ts';

/**
 * Uses the second model when the first fails before its first event for a reason that another provider may not have.
 * Invalid and cancelled requests do not fall back.
 */
export function withFallback(first: Model, second: Model): Model {
  return {
    name: first.name,
    stream: (request) =>
      recoverStream(first.stream(request), (failure) => {
        if (request.signal.aborted || remedyFor(failure) === 'none') throw failure;
        return recoverStream(second.stream(request), (error) => {
          throw bothFailed(failure, error, second.name);
        });
      }),
  };
}

function bothFailed(failure: unknown, error: unknown, name: string): unknown {
  if (!(failure instanceof ServiceError) || !(error instanceof ServiceError) || error.code === 'cancelled')
    return error;
  const both = (first: string, second: string) => `${first} The fallback model ${name} failed too: ${second}`;
  return new ServiceError(failure.code, both(failure.message, error.message), {
    cause: failure,
    memberMessage: both(failure.memberMessage, error.memberMessage),
    ...(failure.retryAfter !== undefined && { retryAfter: failure.retryAfter }),
  });
}
