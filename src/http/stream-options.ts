import { toFailure } from './failure.ts';
import type { HttpLimits, HttpLog } from './http-services.ts';
import type { ServerSentEvent, StreamOptions } from './sse.ts';
import { errorEvent } from './wire/stream-events.ts';

/** Heartbeat, stall limit and failure event of every stream here. */
export function streamOptions(signal: AbortSignal, limits: HttpLimits, log: HttpLog): StreamOptions {
  return {
    signal,
    heartbeat: limits.heartbeat,
    stall: limits.stall,
    // After an abort the reader should see the reason of the abort, not what the source threw because of it.
    onFailure: (thrown) => failureEvent(signal.aborted ? signal.reason : thrown, log),
  };
}

/** The event that ends a stream after a failure; unexpected failures are logged. */
export function failureEvent(thrown: unknown, log: HttpLog): ServerSentEvent {
  const { error, isExpected } = toFailure(thrown);
  if (!isExpected) log.error({ err: thrown }, 'A stream failed unexpectedly.');
  return errorEvent(error);
}
