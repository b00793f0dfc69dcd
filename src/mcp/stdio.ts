import { randomUUID } from 'node:crypto';
import { PassThrough, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { defaultAdmin } from '../access/principal.ts';
import { lineSplitter } from '../shared/line-splitter.ts';
import { announceChanges } from './announce-changes.ts';
import type { Backend } from './backend.ts';
import { MAX_MESSAGE_BYTES } from './peer/attachment.ts';
import { rejectLongMessage } from './peer/long-message.ts';
import { ANSWER_WITHIN_MS, isAnswered } from './peer/session-replay.ts';
import type { CreateMcpServer } from './server.ts';

export interface StdioParts {
  readonly createServer: CreateMcpServer;
  readonly backend: Backend;
  /** Stream for protocol messages only. */
  readonly output: Writable;
  readonly input: NodeJS.ReadableStream;
  /** Identifies the connection; by default a new random id. */
  readonly session?: string;
  /** Whether pending requests are still answered after the input has ended. */
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
  // The transport would end the session over an oversized message, so those are filtered out before it.
  const messages = new PassThrough();
  const transport = new StdioServerTransport(messages as never, output, { maxBufferSize: Number.POSITIVE_INFINITY });
  const awaited = awaitAnswers(transport);
  if (!answersAfterEnd) awaited.giveUp();
  // The transport closes itself at the end of its input; delay that until the pending requests are answered.
  const close = transport.close.bind(transport);
  transport.close = () => awaited.untilAnswered().then(close).finally(resolve);
  const handle = serveStdio(
    ({ era }) => {
      const server = createServer(defaultAdmin, { session, isOnlyClient: true });
      announceChanges(server, { backend, principal: defaultAdmin, era });
      return server;
    },
    { transport, onerror: (error) => onError(inPlainWords(error)) },
  );
  awaited.watch();
  const split = lineSplitter(
    (line) => messages.write(`${line}\n`),
    MAX_MESSAGE_BYTES,
    (line) => {
      const { problem, reply } = rejectLongMessage(line);
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

/** The SDK reports a message that does not fit its schemas with all that was tried, over dozens of lines. */
const inPlainWords = (error: Error): Error =>
  'issues' in error
    ? new Error('A message of the client was ignored, because it is not valid JSON-RPC.', { cause: error })
    : error;

/** Tracks unanswered requests. */
function awaitAnswers(transport: StdioServerTransport) {
  const open = new Set<string | number>();
  const given = Promise.withResolvers<void>();
  let hasEnded = false;
  const check = () => hasEnded && open.size === 0 && given.resolve();
  return {
    giveUp: given.resolve,
    /** Call this when the input has ended. Resolves when every request is answered, or after a timeout. */
    untilAnswered() {
      hasEnded = true;
      setTimeout(given.resolve, ANSWER_WITHIN_MS).unref();
      check();
      return given.promise;
    },
    /** Call this after the transport's handlers have been set. */
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
