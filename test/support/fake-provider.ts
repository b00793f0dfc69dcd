import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One step of a reply; the steps are played in order. */
export type Step =
  | { readonly send: string }
  | { readonly wait: number }
  /** Continues when this settles. */
  | { readonly until: Promise<unknown> }
  /** Keeps the connection open and silent until the client disconnects. */
  | { readonly hang: true }
  /** Breaks the connection, like a crashed server. */
  | { readonly cut: true };

/** The fake's reply to one request. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Nothing, including headers, is sent before the first `send`. */
  readonly steps: readonly Step[];
}

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes
  readonly body: any;
  /** Milliseconds, for measuring the pauses between retries. */
  readonly at: number;
  /** Resolves when the exchange is over: to `left` if the client disconnected early. */
  readonly end: Promise<'finished' | 'left'>;
}

/** A local HTTP server that plays scripted replies, one per request, and records the requests. */
export interface FakeProvider {
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  /** Appends replies to the script. */
  next(...replies: readonly Reply[]): void;
  /** Sets the reply to requests that come after the end of the script. */
  otherwise(answer: (request: ReceivedRequest) => Reply): void;
  /** Number of replies not yet played. */
  readonly unplayed: number;
  close(): Promise<void>;
}

export async function startFakeProvider(
  unscripted: (request: ReceivedRequest) => Reply = () =>
    jsonReply({ error: { message: 'the script of the fake is played out', type: 'server_error' } }, { status: 500 }),
): Promise<FakeProvider> {
  const requests: ReceivedRequest[] = [];
  const script: Reply[] = [];
  let answer = unscripted;

  const server = createServer((incoming, outgoing) => {
    // The service asks at times whether its model server answers, which is no part of a script.
    if (incoming.method === 'GET' && ADDRESS.test(incoming.url ?? '')) {
      outgoing.writeHead(404).end();
      return;
    }
    const end = new Promise<'finished' | 'left'>((resolve) => {
      outgoing.on('close', () => resolve(outgoing.writableFinished ? 'finished' : 'left'));
    });
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      const request: ReceivedRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: /json/.test(incoming.headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : undefined,
        at: performance.now(),
        end,
      };
      requests.push(request);
      void play(script.shift() ?? answer(request), outgoing, end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    next(...replies) {
      script.push(...replies);
    },
    otherwise(next) {
      answer = next;
    },
    get unplayed() {
      return script.length;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The path of an address that is configured as a model server. */
const ADDRESS = /^\/(?:v1)?\/?$/;

async function play(reply: Reply, response: ServerResponse, end: Promise<unknown>): Promise<void> {
  for (const step of reply.steps) {
    if (response.destroyed) return;
    if ('send' in step) {
      if (!response.headersSent) response.writeHead(reply.status ?? 200, reply.headers);
      response.write(step.send);
    } else if ('wait' in step) {
      await Promise.race([sleep(step.wait), end]);
    } else if ('until' in step) {
      await Promise.race([step.until, end]);
    } else if ('hang' in step) {
      await end;
    } else {
      // Lets the written data reach the client first.
      await sleep(10);
      response.destroy();
    }
  }
  if (response.destroyed) return;
  if (!response.headersSent) response.writeHead(reply.status ?? 200, reply.headers);
  response.end();
}

export function jsonReply(
  body: unknown,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Reply {
  return {
    status: options.status ?? 200,
    headers: { 'content-type': 'application/json', ...options.headers },
    steps: [{ send: JSON.stringify(body) }],
  };
}

/** A server-sent event stream; `event` lines are written only for named events. */
export function streamReply(events: readonly (Step | { readonly event?: string; readonly data: unknown })[]): Reply {
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    steps: events.map((event) => ('data' in event ? { send: encode(event) } : event)),
  };
}

function encode({ event, data }: { readonly event?: string; readonly data: unknown }): string {
  const line = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`;
}

/** Replaces the steps after the first `count`; for streams that break off. */
export function endingAfter(count: number, reply: Reply, ...ending: readonly Step[]): Reply {
  return { ...reply, steps: [...reply.steps.slice(0, count), ...ending] };
}

/** The same reply with a pause before each step. */
export function slowly(milliseconds: number, reply: Reply): Reply {
  return { ...reply, steps: reply.steps.flatMap((step) => [{ wait: milliseconds }, step]) };
}

/** Accepts the request and never responds. */
export const silence: Reply = { steps: [{ hang: true }] };

/** Breaks the connection before the status line. */
export const brokenConnection: Reply = { steps: [{ cut: true }] };
