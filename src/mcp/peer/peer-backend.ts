import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { Backend, CallOptions, CorpusChange, Operation, ProgressStep } from '../backend.ts';

export interface PeerAddress {
  readonly url: string;
  readonly token: string;
}

/** The process that holds the data folder has ended or does not answer. */
export class PeerUnavailable extends Error {
  override readonly name = 'PeerUnavailable';
}

interface Line {
  readonly progress?: ProgressStep;
  readonly result?: unknown;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  readonly change?: CorpusChange;
}

/** Backend in the process that holds the data folder. Methods throw PeerUnavailable when that process is gone. */
export function createPeerBackend(address: PeerAddress): Backend {
  const ask =
    (operation: Operation) =>
    async (body: unknown, { signal, onProgress }: CallOptions): Promise<never> => {
      signal.throwIfAborted();
      try {
        const response = await open(address, { method: 'POST', path: `/peer/${operation}`, body, signal });
        for await (const line of linesOf(response)) {
          if (line.progress !== undefined) onProgress?.(line.progress);
          if (line.error !== undefined) throw new ServiceError(line.error.code, line.error.message);
          if ('result' in line) return line.result as never;
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof ServiceError) throw error;
        throw new PeerUnavailable(`Lost the connection to the process at ${address.url}.`, { cause: error });
      }
      throw new PeerUnavailable(`Lost the connection to the process at ${address.url}.`);
    };
  return {
    call: ask('call'),
    documents: ask('documents'),
    document: ask('document'),
    chunk: ask('chunk'),
    file: ask('file'),
    visible: ask('visible'),
    facts: ask('facts'),
    onChange(listener) {
      const stop = new AbortController();
      void follow(address, listener, stop.signal);
      return () => stop.abort();
    },
  };
}

/** Asks the process to release the data folder; false when it refuses. */
export async function requestRelease(address: PeerAddress, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await open(address, { method: 'POST', path: '/peer/yield', signal });
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

async function follow(address: PeerAddress, listener: (change: CorpusChange) => void, signal: AbortSignal) {
  try {
    const response = await open(address, { method: 'GET', path: '/peer/changes', signal });
    for await (const line of linesOf(response)) if (line.change !== undefined) listener(line.change);
  } catch {
    // The process has ended; its successor gets a new subscription.
  }
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<Line, void> {
  for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield JSON.parse(line) as Line;
  }
}

interface PeerCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

// Not fetch, which times out after five minutes and loads more slowly.
function open({ url, token }: PeerAddress, { method, path, body, signal }: PeerCall): Promise<IncomingMessage> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Loaded on the first request, which comes after the first reply to the client. An import statement would read all
  // members of the module, one of which loads undici (10 MB, 40 ms).
  const { request: send } = process.getBuiltinModule('node:http');
  send(new URL(path, url), {
    method,
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
    },
  })
    .on('response', resolve)
    .on('error', reject)
    .end(bytes);
  return promise;
}
