import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type ErrorCode, ServiceError, type UnreadKind } from '../errors.ts';

// An import statement would read all of the module's members, one of which loads undici (10 MB, 40 ms).
const { request } = process.getBuiltinModule('node:http');

/** Thrown when the server has ended or is about to end. */
export class ServerLost extends ServiceError {
  /** Whether the server may have started the request. */
  readonly wasSent: boolean;

  constructor(server: string, cause: unknown) {
    super(
      'store_failed',
      `The server at ${server} closed the connection; it may be stopping. Try again when it is back.`,
      {
        cause,
      },
    );
    this.wasSent = !(cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED');
  }
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below `/v3`. */
  readonly path: string;
  /** Sent as JSON; form data unchanged. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Token from the server's `server.json`, required by private servers. */
  readonly token?: string | undefined;
}

/** The JSON response. Throws the server's ServiceError, or `store_failed` when the server has ended. */
export async function askServer(server: string, call: ServerRequest): Promise<unknown> {
  return json(await send(server, call));
}

export interface StreamRequest extends ServerRequest {
  /** Called with the response headers before the first event. */
  readonly onStart?: (headers: IncomingHttpHeaders) => void;
}

/** The events of a stream. Throws on an `error` event, and if the stream ends without `done`. */
export async function* streamFromServer(
  server: string,
  { onStart, ...call }: StreamRequest,
): AsyncGenerator<{ readonly event: string; readonly data: unknown }, void> {
  const response = await send(server, call);
  onStart?.(response.headers);
  try {
    for await (const { event, data } of readEvents(response)) {
      if (event === 'done') return;
      const value: unknown = JSON.parse(data);
      if (event === 'error') throw failureOf((value as { readonly error?: unknown }).error, { server, status: 200 });
      yield { event, data: value };
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : lost(server, call.signal, error);
  } finally {
    response.destroy();
  }
  throw lost(server, call.signal, undefined);
}

/** The headers and bytes of a download. Throws while it is read if the server ends. */
export async function downloadFromServer(
  server: string,
  call: ServerRequest,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly content: AsyncGenerator<Uint8Array, void> }> {
  const response = await send(server, call);
  const content = async function* () {
    try {
      yield* response;
    } catch (error) {
      throw lost(server, call.signal, error);
    } finally {
      response.destroy();
    }
  };
  return { headers: response.headers, content: content() };
}

// Not `fetch`, whose response time limit is five minutes; ingesting a large file may take longer.
async function send(server: string, { method, path, body, signal, token }: ServerRequest): Promise<IncomingMessage> {
  const encoded = body instanceof FormData ? new Response(body) : body === undefined ? undefined : Response.json(body);
  const bytes = encoded === undefined ? undefined : Buffer.from(await encoded.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(new URL(`/v3${path}`, server), {
    method,
    ...(signal && { signal }),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(bytes && { 'content-type': encoded?.headers.get('content-type') ?? '', 'content-length': bytes.length }),
    },
  })
    .on('response', resolve)
    .on('error', (error) => reject(lost(server, signal, error)))
    .end(bytes);
  const response = await promise;
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return response;
  throw failureOf(await json(response).catch(() => undefined), { server, status });
}

function lost(server: string, signal: AbortSignal | undefined, cause: unknown): ServiceError {
  if (signal?.aborted) return new ServiceError('cancelled', 'Interrupted.', { cause });
  return new ServerLost(server, cause);
}

function failureOf(
  body: unknown,
  { server, status }: { readonly server: string; readonly status: number },
): ServiceError {
  const { code, message, unread } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const words = typeof message === 'string' ? message : `The server answered with status ${status}.`;
  // The server is our own, so its error codes are known.
  const error = new ServiceError(typeof code === 'string' ? (code as ErrorCode) : 'internal', words, {
    unread: unread as UnreadKind | undefined,
  });
  // This side did not cancel the request, so the server is shutting down.
  return error.code === 'cancelled' ? new ServerLost(server, error) : error;
}

/** One server-sent event; `data` is the text as received. */
interface StreamedEvent {
  readonly event: string;
  readonly data: string;
}

/** The events of docs/contract.md 5.5; comments are skipped. */
async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent, void> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { event = 'message', data } of ready.splice(0)) yield { event, data };
  }
}
