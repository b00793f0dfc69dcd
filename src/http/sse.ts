import { once } from 'node:events';
import type { Response } from 'express';
import type { ServiceError } from '../errors.ts';
import { audienceOf } from './authenticate.ts';
import { streamError } from './failure.ts';
import type { HttpLimits, HttpLog } from './http-services.ts';
import { errorEvent } from './wire/stream-events.ts';

/** An event of a stream; `data` is sent as one line of JSON. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: object;
  /** Resume position, for resumable streams. */
  readonly id?: string;
}

/** An event whose data is already one line of JSON. */
export interface EncodedEvent extends Omit<ServerSentEvent, 'data'> {
  readonly json: string;
}

/**
 * Encodes an event (docs/contract.md 5.5). Python clients parse this framing literally: one data line, a blank line,
 * and no other non-JSON events.
 */
export function encodeEvent(sent: ServerSentEvent | EncodedEvent): string {
  const { event, id } = sent;
  const json = 'json' in sent ? sent.json : JSON.stringify(sent.data);
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`;
}

const contractFraming: Framing = { encode: encodeEvent, end: 'event: done\ndata: [DONE]\n\n' };

/** OpenAI's framing: data lines without event names. */
export const dataOnlyFraming: Framing = {
  encode: (sent) => `data: ${'json' in sent ? sent.json : JSON.stringify(sent.data)}\n\n`,
  end: 'data: [DONE]\n\n',
};

const HEARTBEAT = ': still working\n\n';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Milliseconds of silence before a comment is sent. */
  readonly heartbeat: number;
  /** Milliseconds a reader may be blocked before it is disconnected. */
  readonly stall: number;
  /** Converts a failure after the first byte into an event; undefined ends the stream without one. */
  onFailure(thrown: unknown): ServerSentEvent | undefined;
  /** Wire format of events and the terminator; the contract's framing by default. */
  readonly framing?: Framing;
}

/** The wire format of a stream. */
export interface Framing {
  encode(event: ServerSentEvent | EncodedEvent): string;
  readonly end: string;
}

/**
 * Sends events with back-pressure and always ends with the terminator. A failure before the first event is thrown, so
 * that it can become an ordinary error response, unless a heartbeat has been sent already.
 */
export async function sendEvents(
  response: Response,
  events: AsyncIterable<ServerSentEvent | EncodedEvent>,
  { signal, heartbeat, stall, onFailure, framing = contractFraming }: StreamOptions,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  const write = async (text: string): Promise<void> => {
    if (response.write(text)) return;
    try {
      await once(response, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(stall)]) });
    } catch (cause) {
      // The reader is gone or blocked, so buffered data would never be sent.
      if (!signal.aborted) response.destroy();
      throw cause;
    }
  };
  try {
    let next = iterator.next();
    let state = await settledWithin(next, heartbeat);
    if (state === 'failed') await next;
    response.writeHead(200, HEADERS);
    response.flushHeaders();
    for (;;) {
      while (state === 'pending') {
        await write(HEARTBEAT);
        state = await settledWithin(next, heartbeat);
      }
      const step = await next;
      if (step.done === true) break;
      await write(framing.encode(step.value));
      signal.throwIfAborted();
      next = iterator.next();
      state = await settledWithin(next, heartbeat);
    }
  } catch (thrown) {
    if (!response.headersSent) throw thrown;
    const failure = response.destroyed ? undefined : onFailure(thrown);
    if (failure !== undefined) response.write(framing.encode(failure));
  } finally {
    // Not awaited: a source that ignores its signal must not delay the response.
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
  if (!response.destroyed) response.end(framing.end);
}

/** The state of a promise after at most that many milliseconds; a rejection is left for the caller to handle. */
async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<'done' | 'failed' | 'pending'> {
  let timer: NodeJS.Timeout | undefined;
  const pending = new Promise<'pending'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'pending');
  });
  const settled = promise.then(
    () => 'done' as const,
    () => 'failed' as const,
  );
  try {
    return await Promise.race([settled, pending]);
  } finally {
    clearTimeout(timer);
  }
}

interface StreamParts {
  readonly limits: HttpLimits;
  readonly log: HttpLog;
}

/** Options common to all our event streams: heartbeat, stall limit and failure event. */
export function streamOptions(
  response: Response,
  signal: AbortSignal,
  { limits, log }: StreamParts,
): StreamOptions & { errorOf(thrown: unknown): ServiceError } {
  const reader = { audience: audienceOf(response), log };
  // After an abort the reader should see the reason of the abort, not what the source threw because of it.
  const errorOf = (thrown: unknown): ServiceError => streamError(signal.aborted ? signal.reason : thrown, reader);
  return {
    signal,
    heartbeat: limits.heartbeat,
    stall: limits.stall,
    errorOf,
    onFailure: (thrown) => errorEvent(errorOf(thrown)),
  };
}
