import { randomUUID } from 'node:crypto';
import { PassThrough, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { defaultAdmin } from '../access/principal.ts';
import { lineSplitter } from '../shared/line-splitter.ts';
import { announceChanges } from './announce-changes.ts';
import type { Backend } from './backend.ts';
import { MAX_MESSAGE_BYTES } from './peer/attachment.ts';
import { ANSWER_WITHIN_MS, isAnswered } from './peer/session-replay.ts';
import { answerToTooLong } from './peer/too-long.ts';
import type { CreateMcpServer } from './server.ts';

export interface StdioParts {
  readonly createServer: CreateMcpServer;
  readonly backend: Backend;
  /** Stream for protocol messages only. */
  readonly output: Writable;
  readonly input: NodeJS.ReadableStream;
  /** Identifies the connection; by default a new identifier. */
  readonly session?: string;
  /** Whether requests that came before the end of the input are still answered. */
  readonly answersAfterEnd?: boolean;
  readonly onError: (error: Error) => void;
}

export interface StdioConnection {
  /** Settles when the client closes its end or the connection is lost. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one stdio client, in whichever protocol era it starts with. */
export function serveOverStdio(parts: StdioParts): StdioConnection {
  const { createServer, backend, output, input, session = randomUUID(), answersAfterEnd = false, onError } = parts;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  output.once('error', () => resolve());
  // Ends a session over a message that is too long, which is why none gets there.
  const messages = new PassThrough();
  const transport = new StdioServerTransport(messages as never, output, { maxBufferSize: Number.POSITIVE_INFINITY });
  const awaited = awaitAnswers(transport);
  if (!answersAfterEnd) awaited.giveUp();
  // It closes itself at the end of the messages.
  const close = transport.close.bind(transport);
  transport.close = () => awaited.settled.then(close).finally(resolve);
  const handle = serveStdio(
    ({ era }) => {
      const server = createServer(defaultAdmin, { session, isOnlyClient: true });
      announceChanges(server, backend, era);
      return server;
    },
    { transport, onerror: onError },
  );
  awaited.watch();
  const split = lineSplitter(
    (line) => messages.write(`${line}\n`),
    MAX_MESSAGE_BYTES,
    (line) => {
      const { problem, reply } = answerToTooLong(line);
      onError(new Error(problem));
      if (reply !== undefined) output.write(reply);
    },
  );
  const end = () => messages.end();
  const giveUp = () => {
    awaited.giveUp();
    end();
  };
  input.on('data', split).once('end', end).once('error', giveUp);
  input.once('close', () => (messages.writableEnded ? undefined : giveUp()));
  return {
    ended,
    close() {
      awaited.giveUp();
      return handle.close();
    },
  };
}

/** Follows which requests are unanswered; `settled` resolves once asked for when there are none, or after a time. */
function awaitAnswers(transport: StdioServerTransport) {
  const open = new Set<string | number>();
  const given = Promise.withResolvers<void>();
  let isAsked = false;
  const check = () => isAsked && open.size === 0 && given.resolve();
  return {
    giveUp: given.resolve,
    get settled() {
      isAsked = true;
      setTimeout(given.resolve, ANSWER_WITHIN_MS).unref();
      check();
      return given.promise;
    },
    /** To be called when the handlers of the transport are set. */
    watch() {
      const { onmessage } = transport;
      transport.onmessage = (message) => {
        if ('method' in message && 'id' in message && isAnswered(message.method)) open.add(message.id);
        if ('method' in message && message.method === 'notifications/cancelled') {
          open.delete(message.params?.['requestId'] as never);
          check();
        }
        onmessage?.(message);
      };
      const send = transport.send.bind(transport);
      transport.send = async (message) => {
        await send(message);
        if ('method' in message || !('id' in message)) return;
        open.delete(message.id as never);
        check();
      };
    },
  };
}
