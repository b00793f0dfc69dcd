import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { isMarkedEndless } from '../shared/endless-responses.ts';
import { defaultHttpLimits } from './http-services.ts';
import { announceLeave, announceStop, RUN_ID } from './request-signal.ts';
import { cutOffSlowBodies } from './slow-bodies.ts';

// Not an import statement, which reads all of the module's members: one of them loads undici, 10 MB and 40 ms.
const { createServer } = process.getBuiltinModule('node:http');

/** A request handler with values that all its requests see, such as an Express app. */
export type App = RequestListener & { readonly locals: Record<string, unknown> };

export interface Address {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
}

export interface HttpServer {
  /** Address at which this machine reaches the server. */
  readonly url: string;
  readonly port: number;
  /** Handles CONNECT requests, which are refused without it; the handler owns the connection and closes it. */
  onConnect(handler: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void;
  /** Answers health checks with 503 from now on, and all else as before. */
  announceStop(): void;
  /** Accepts no further connections, and settles when requests and the streams of runs have ended, or after this time. */
  finish(withinMs: number): Promise<void>;
  /** Ends streams with an error event, lets other responses finish, and closes what is left after a second. */
  close(): Promise<void>;
}

/** Milliseconds for a request's headers to arrive. */
const HEADERS_TIMEOUT = 20_000;
const REQUEST_TIMEOUT = 600_000;
/** Longer than the minute after which proxies drop idle connections, so that they never write to a closing one. */
const KEEP_ALIVE_TIMEOUT = 65_000;

/** Milliseconds for responses to finish when the server stops. */
const CLOSING_GRACE = 1_000;
const CLOSING_CHECK = 20;

/** Serves an app. Throws `conflict` when the port is taken, `invalid_request` when the address cannot be used. */
export async function listen(
  app: App,
  { host, port }: Address,
  /** Milliseconds a request's body may take to arrive. */
  timeoutMs: number = defaultHttpLimits.request,
): Promise<HttpServer> {
  const stopping = new AbortController();
  announceStop(app, stopping.signal);
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT, keepAliveTimeout: KEEP_ALIVE_TIMEOUT },
    app,
  );
  const watch = cutOffSlowBodies(server, timeoutMs);
  const unfinished = watchUnfinished(server);
  await startListening(server, { host, port });
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${reachableHost(host)}:${actualPort}`,
    port: actualPort,
    onConnect: (handler) => server.on('connect', handler),
    announceStop: () => announceLeave(app),
    async finish(withinMs) {
      // Closing resets the connections that wait to be accepted. After a whole turn of the event loop there are none, or
      // almost none.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
      server.close();
      const until = performance.now() + withinMs;
      while (unfinished.any() && performance.now() < until) {
        server.closeIdleConnections();
        await sleep(CLOSING_CHECK);
      }
    },
    close() {
      closed ??= stop(server, stopping).finally(watch.close);
      return closed;
    },
  };
}

function startListening(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(toServiceError(error, { host, port }));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

/** Responses that are worth waiting for: all but those that never end by themselves, such as notices of changes. */
function watchUnfinished(server: Server): { any(): boolean } {
  const open = new Map<ServerResponse, IncomingMessage>();
  server.on('request', (request, response) => {
    open.set(response, request);
    response.once('close', () => open.delete(response));
  });
  const isEndless = (response: ServerResponse, { method }: IncomingMessage) =>
    isMarkedEndless(response) ||
    (method === 'GET' &&
      String(response.getHeader('content-type')).startsWith('text/event-stream') &&
      !response.hasHeader(RUN_ID));
  return { any: () => [...open].some(([response, request]) => !isEndless(response, request)) };
}

async function stop(server: Server, stopping: AbortController): Promise<void> {
  stopping.abort(new ServiceError('cancelled', 'The service is stopping; try again when it is back.'));
  // Where it listens no more, this reports an error once the last connection has ended.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle when its response ends, which may be after `close` looked for idle ones.
  const sweep = setInterval(() => server.closeIdleConnections(), CLOSING_CHECK);
  const cutOff = setTimeout(() => server.closeAllConnections(), CLOSING_GRACE);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}

function toServiceError(error: NodeJS.ErrnoException, { host, port }: Address): ServiceError {
  const options = { cause: error };
  switch (error.code) {
    case 'EADDRINUSE':
      return new ServiceError(
        'conflict',
        `Port ${port} on ${host} is in use by another program. Stop that program, or set CITEWELL_PORT to a free port.`,
        options,
      );
    case 'EACCES':
      return new ServiceError(
        'invalid_request',
        `This user has no permission to listen on port ${port}. Set CITEWELL_PORT to a port above 1023.`,
        options,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ServiceError(
        'invalid_request',
        `"${host}" is not an address of this machine. Set CITEWELL_HOST, e.g. to 127.0.0.1.`,
        options,
      );
    default:
      return new ServiceError(
        'internal',
        `Listening on ${host}:${port} failed: ${error.code ?? error.message}.`,
        options,
      );
  }
}

/** "All interfaces" can be listened on but not called. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
