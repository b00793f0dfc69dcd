import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { isMarkedEndless } from '../shared/endless-responses.ts';
import { defaultHttpLimits } from './http-services.ts';
import { announceLeave, announceStop, RUN_ID } from './request-signal.ts';
import { cutOffSlowBodies } from './slow-bodies.ts';

// An import statement would read all members of the module, one of which loads undici (10 MB, 40 ms).
const { createServer } = process.getBuiltinModule('node:http');

/** A request handler with values shared by all its requests, such as an Express app. */
export type App = RequestListener & { readonly locals: Record<string, unknown> };

export interface Address {
  readonly host: string;
  /** 0 lets the operating system choose a free port. */
  readonly port: number;
}

export interface HttpServer {
  /** URL at which the server is reachable from this machine. */
  readonly url: string;
  readonly port: number;
  /** Handles CONNECT requests, which are refused without a handler. The handler owns the socket and must close it. */
  onConnect(handler: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void;
  /** Answers health checks with 503 from now on, and all other requests as before. */
  announceStop(): void;
  /** Accepts no further connections; settles when requests and streams of runs have ended, or after this time. */
  finish(withinMs: number): Promise<void>;
  /** Ends streams with an error event, lets other responses finish, and closes remaining connections after a second. */
  close(): Promise<void>;
}

/** Milliseconds for a request's headers to arrive. */
const HEADERS_TIMEOUT = 20_000;
const REQUEST_TIMEOUT = 600_000;
/** Longer than the minute after which proxies close idle connections, so that they never reuse a closing one. */
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
      // `close` resets connections that are waiting to be accepted; after a full turn of the event loop, (almost) none
      // are left.
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

/** Tracks responses to wait for: all except endless ones, such as change notifications. */
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
  // If the server has already stopped listening, the callback gets an error once the last connection has ended.
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

/** A host name to connect to: the wildcard addresses can only be listened on. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
