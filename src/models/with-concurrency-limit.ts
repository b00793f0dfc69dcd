import type { LimitFunction } from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { Model } from './model.ts';

/** The same model, whose streams wait their turn. One `limit` is shared by all models of a provider. */
export function withConcurrencyLimit(model: Model, limit: LimitFunction): Model {
  return {
    name: model.name,
    async *stream(request) {
      const release = await takeTurn(limit, request.signal);
      try {
        yield* model.stream(request);
      } finally {
        release();
      }
    },
  };
}

/** Waits for a turn and returns what ends it. Throws `cancelled` when the signal comes first. */
async function takeTurn(limit: LimitFunction, signal: AbortSignal): Promise<() => void> {
  const turn = new Promise<() => void>((begin) => {
    void limit(() => new Promise<void>((release) => begin(release)));
  });
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new ServiceError('cancelled', 'The request was cancelled.'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted.promise, turn]);
  } catch (error) {
    void turn.then((release) => release());
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
