import { onAbort } from '../shared/abort.ts';

/** Timeouts of a provider's stream. */
export interface TimeLimits {
  /** From the request to the first event of its stream. */
  readonly firstEventMs: number;
  /** Between two chunks of data after that; pings and comments count. */
  readonly idleMs: number;
}

// Node's fetch has its own timeout of five minutes, so longer limits would have no effect.
const MAX_SILENCE_MS = 300_000;

export const defaultTimeLimits: TimeLimits = { firstEventMs: 120_000, idleMs: 90_000 };

/** Longer limits for requests with thinking, during which providers may send nothing. */
export const withLongerLimits = (limits: TimeLimits): TimeLimits => ({
  firstEventMs: Math.max(limits.firstEventMs, Math.min(limits.firstEventMs * 3, MAX_SILENCE_MS)),
  idleMs: Math.max(limits.idleMs, Math.min(limits.idleMs * 3, MAX_SILENCE_MS)),
});

/** Signal and fetch that the stream must use, so that incoming bytes are seen and the request can be aborted. */
export interface WatchedConnection {
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

export interface WatchOptions {
  readonly limits: TimeLimits;
  /** The caller's signal; aborting it aborts the request. */
  readonly signal: AbortSignal;
  /** Creates the error for a timeout. */
  readonly onSilence: (seconds: number, phase: 'first' | 'idle') => Error;
}

/**
 * Yields the events of a stream and throws when the provider is silent for too long. The underlying request is aborted
 * whenever iteration stops. Time spent by the consumer does not count.
 */
export async function* watchStream<T>(
  open: (connection: WatchedConnection) => Promise<AsyncIterable<T>>,
  { limits, signal, onSilence }: WatchOptions,
): AsyncGenerator<T, void> {
  const request = new AbortController();
  const stopListening = onAbort(signal, () => request.abort(signal.reason));

  let phase: 'first' | 'idle' = 'first';
  let silence: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stopTimer = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const startTimer = () => {
    stopTimer();
    const limit = phase === 'first' ? limits.firstEventMs : limits.idleMs;
    timer = setTimeout(() => {
      silence = onSilence(Math.round(limit / 1000), phase);
      request.abort(silence);
    }, limit);
  };
  const onData = () => {
    if (phase === 'idle' && timer !== undefined) startTimer();
  };

  try {
    startTimer();
    const events = (await open({ signal: request.signal, fetch: fetchReportingData(onData) }))[Symbol.asyncIterator]();
    for (;;) {
      const step = await events.next();
      stopTimer();
      // Both SDKs end an aborted stream silently, as if it were complete.
      if (request.signal.aborted) throw silence ?? signal.reason;
      if (step.done) return;
      phase = 'idle';
      yield step.value;
      startTimer();
    }
  } catch (error) {
    throw silence ?? error;
  } finally {
    stopTimer();
    stopListening();
    request.abort();
  }
}

function fetchReportingData(onData: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          onData();
          controller.enqueue(piece);
        },
      }),
    );
    return new Response(body, response);
  };
}
