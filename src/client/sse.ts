import { createParser } from 'eventsource-parser';
import type { StreamEvent } from './stream-events.ts';

export type * from './stream-events.ts';

/** Where a stream of events comes from: a `Response`, or what `r2r-js` resolves to when `stream` is set. */
export type EventSource = Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface ReadEventsOptions {
  /**
   * Reopens the stream after the event with this id, e.g. with GET /v3/retrieval/runs/{id}/events and the header
   * Last-Event-ID. Called when the connection breaks before the end, at most `attempts` times in a row.
   */
  readonly reconnect?: (lastEventId: string) => Promise<EventSource>;
  /** Maximum number of consecutive reconnection attempts. Default 5. */
  readonly attempts?: number;
  /** Milliseconds before the first attempt, doubled for each further one. Default 250. */
  readonly delay?: number;
  /**
   * Id that `reconnect` gets if the connection breaks before the first event; `RUN:0` reopens the run RUN from its
   * beginning. By default, such a stream is not reopened.
   */
  readonly lastEventId?: string;
}

/** The stream reported a failure, or ended before the answer was complete. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
  /** A code of the service's error bodies, or `stream_broken` if the connection ended early. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The typed events of /v3/retrieval/rag and /agent (docs/contract.md 5.5) until the terminator. Handles characters that
 * are split between chunks, comments, all line endings, and unknown events of later versions. Throws StreamFailure on
 * an `error` event, and when the stream breaks and cannot be reopened. Leaving the loop cancels the stream.
 */
export async function* readEvents(
  source: EventSource,
  { reconnect, attempts = 5, delay = 250, lastEventId: firstEventId = '' }: ReadEventsOptions = {},
): AsyncGenerator<StreamEvent, void> {
  let from = source;
  let lastEventId = firstEventId;
  let failures = 0;
  for (;;) {
    let cause: unknown;
    try {
      for await (const message of messagesOf(from)) {
        if (message.data === '[DONE]') return;
        failures = 0;
        if (message.id !== undefined) lastEventId = message.id;
        const event = toEvent(message.event ?? 'message', message.data, lastEventId);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (error instanceof StreamFailure) throw error;
      cause = error;
    }
    if (reconnect === undefined || lastEventId === '' || failures >= attempts) {
      throw new StreamFailure('stream_broken', 'The stream ended before its answer did.', { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, delay * 2 ** failures));
    failures++;
    from = await reconnect(lastEventId).catch((error: unknown) => brokenStream(error));
  }
}

/** A complete answer. */
export interface CollectedAnswer {
  readonly text: string;
  readonly final: Extract<StreamEvent, { readonly event: 'final_answer' }>['data'];
  readonly search: Extract<StreamEvent, { readonly event: 'search_results' }>['data'] | undefined;
}

/** Reads a stream to its end; `onText` receives the text as it arrives. Throws like `readEvents`. */
export async function collectAnswer(
  source: EventSource,
  { onText, ...options }: ReadEventsOptions & { readonly onText?: (text: string) => void } = {},
): Promise<CollectedAnswer> {
  let search: CollectedAnswer['search'];
  let final: CollectedAnswer['final'] | undefined;
  for await (const event of readEvents(source, options)) {
    if (event.event === 'message') onText?.(textOf(event));
    if (event.event === 'search_results') search = event.data;
    if (event.event === 'final_answer') final = event.data;
  }
  if (final === undefined) throw new StreamFailure('stream_broken', 'The stream ended without a final answer.');
  return { text: final.generated_answer, final, search };
}

/** The text of a `message` or `thinking` event. */
export const textOf = ({ data }: Extract<StreamEvent, { readonly event: 'message' | 'thinking' }>): string =>
  data.delta.content.map(({ payload }) => payload.value).join('');

interface Message {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

async function* messagesOf(source: EventSource): AsyncGenerator<Message, void> {
  const ready: Message[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(source)) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* ready.splice(0);
  }
}

async function* bytesOf(source: EventSource): AsyncGenerator<Uint8Array, void> {
  if (!(source instanceof Response)) return yield* iterate(source);
  if (!source.ok) throw await refusal(source);
  if (source.body === null) throw new StreamFailure('stream_broken', 'The response has no body.');
  yield* iterate(source.body);
}

// Some browsers do not support `for await` over a ReadableStream.
async function* iterate(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  if (!('getReader' in source)) return yield* source;
  const reader = source.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // No effect on a finished stream.
    await reader.cancel().catch(() => {});
  }
}

async function refusal(response: Response): Promise<StreamFailure> {
  const body = await response.json().catch(() => undefined);
  const { message, code } = Object(body) as { readonly message?: unknown; readonly code?: unknown };
  return new StreamFailure(
    typeof code === 'string' ? code : `status_${response.status}`,
    typeof message === 'string' ? message : `The server answered with status ${response.status}.`,
  );
}

const known: ReadonlySet<string> = new Set<StreamEvent['event']>([
  'search_results',
  'thinking',
  'message',
  'waiting',
  'citation',
  'tool_call',
  'tool_result',
  'final_answer',
]);

function toEvent(event: string, data: string, id: string): StreamEvent | undefined {
  const parsed: unknown = JSON.parse(data);
  if (event === 'error') {
    const { error } = Object(parsed) as { readonly error?: { readonly code?: string; readonly message?: string } };
    throw new StreamFailure(error?.code ?? 'internal', error?.message ?? 'The stream failed.');
  }
  return known.has(event) ? ({ event, data: parsed, id } as StreamEvent) : undefined;
}

/** A stream that fails when it is read, so that a server that is still down counts as another broken stream. */
const brokenStream = (error: unknown): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
});
