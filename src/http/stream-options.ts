import { toFailure } from './failure.ts';
import type { HttpLimits, HttpLog } from './http-services.ts';
import type { ServerSentEvent, StreamOptions } from './sse.ts';
import { errorEvent } from './wire/stream-events.ts';

/** How every stream here beats, waits, and tells of a failure after its first byte. */
export function streamOptions(signal: AbortSignal, limits: HttpLimits, log: HttpLog): StreamOptions {
  return {
    signal,
    heartbeat: limits.heartbeat,
    stall: limits.stall,
    // What an aborted source throws is its own affair; why it was aborted is what the reader should know.
    onFailure: (thrown) => failureEvent(signal.aborted ? signal.reason : thrown, log),
  };
}

/** A failure as the event that ends a stream; one that nobody expected is logged. */
export function failureEvent(thrown: unknown, log: HttpLog): ServerSentEvent {
  const { error, isExpected } = toFailure(thrown);
  if (!isExpected) log.error({ err: thrown }, 'A stream failed unexpectedly.');
  return errorEvent(error);
}
