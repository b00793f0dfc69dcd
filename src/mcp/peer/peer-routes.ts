import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler, type Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { onAbort } from '../../shared/abort.ts';
import type { Backend, CallOptions, Operation } from '../backend.ts';

export interface PeerParts {
  readonly backend: Backend;
  /** Token in the data folder's `server.json`; undefined until it is written. */
  readonly token: () => string | undefined;
  /** Address of the web page, when this process serves it. */
  readonly pageOrigin?: (() => string) | undefined;
  /** Called when another process should take over the data folder; settles when it is released. */
  readonly onReleaseRequest?: (() => Promise<void>) | undefined;
  /** Aborted at shutdown, to end open streams. */
  readonly stopping: AbortSignal;
}

const OPERATIONS: ReadonlySet<string> = new Set<Operation>([
  'call',
  'documents',
  'document',
  'chunk',
  'file',
  'visible',
  'facts',
]);
const BODY_LIMIT = '16mb';
const KEEP_ALIVE_MS = 10_000;

/**
 * Routes for other local processes that do not hold the data folder. Responses are NDJSON: progress lines, then a
 * result or an error. The token is readable only by those who can read the data folder.
 */
export function peerRoutes({ backend, token, pageOrigin, onReleaseRequest, stopping }: PeerParts): Router {
  const router = Router();
  router.use(requireToken(token));
  router.get('/changes', (_request, response) => {
    const send = openLines(response);
    const unsubscribe = backend.onChange((change) => send({ change }));
    const timer = setInterval(() => send({}), KEEP_ALIVE_MS);
    const stopListening = onAbort(stopping, () => response.end());
    response.once('close', () => {
      stopListening();
      clearInterval(timer);
      unsubscribe();
    });
  });
  router.post('/yield', async (_request, response) => {
    if (onReleaseRequest === undefined) {
      response
        .status(409)
        .json({ error: { code: 'conflict', message: 'This process does not release the data folder.' } });
      return;
    }
    response.json({ result: true });
    await onReleaseRequest();
  });
  router.post('/:operation', express.json({ limit: BODY_LIMIT }), async (request, response) => {
    const { operation } = request.params;
    if (operation === undefined || !OPERATIONS.has(operation)) {
      response.status(404).json({ error: { code: 'not_found', message: 'Unknown operation.' } });
      return;
    }
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    const send = openLines(response);
    try {
      const options: CallOptions = { signal: disconnected.signal, onProgress: (progress) => send({ progress }) };
      // Token holders are instances of this program, so requests have the right shape.
      const run = backend[operation as Operation] as (request: unknown, options: CallOptions) => Promise<unknown>;
      const payload: unknown = pageOrigin === undefined ? request.body : { ...request.body, pageOrigin: pageOrigin() };
      send({ result: (await run(payload, options)) ?? null });
    } catch (error) {
      send({ error: toRecord(error) });
    }
    response.end();
  });
  return router;
}

/** JSON replacer that drops the bytes of files in tool results; peers read them with the operation `file`. */
function withoutBytes(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  return this[key] instanceof Uint8Array ? undefined : value;
}

function openLines(response: Response): (line: object) => void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.flushHeaders();
  return (line) => {
    if (!response.writableEnded && !response.destroyed) response.write(`${JSON.stringify(line, withoutBytes)}\n`);
  };
}

function requireToken(token: () => string | undefined): RequestHandler {
  return (request, response, next) => {
    if (carriesToken(request, token())) return next();
    response.status(401).json({ error: { code: 'unauthenticated', message: 'The token is missing or wrong.' } });
  };
}

/** Whether a request comes from a process that can read the data folder. */
export function carriesToken({ headers }: IncomingMessage, token: string | undefined): boolean {
  const given = Buffer.from(/^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token ?? '');
  return wanted.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

const toRecord = (error: unknown) =>
  error instanceof ServiceError
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'Internal error; see the server log.' };
