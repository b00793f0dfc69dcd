import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { defaultAdmin } from '../access/principal.ts';
import { announceChanges } from './announce-changes.ts';
import type { Backend } from './backend.ts';
import { MAX_MESSAGE_BYTES } from './peer/attachment.ts';
import type { CreateMcpServer } from './server.ts';

export interface StdioParts {
  readonly createServer: CreateMcpServer;
  readonly backend: Backend;
  /** Stream for protocol messages only. */
  readonly output: Writable;
  readonly input: NodeJS.ReadableStream;
  /** Identifies the connection; by default a new identifier. */
  readonly session?: string;
  readonly onError: (error: Error) => void;
}

export interface StdioConnection {
  /** Settles when the client closes its end or the connection is lost. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one stdio client, in whichever protocol era it starts with. */
export function serveOverStdio(parts: StdioParts): StdioConnection {
  const { createServer, backend, output, input, session = randomUUID(), onError } = parts;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
  output.once('error', () => resolve());
  const transport = new StdioServerTransport(input as never, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  // It also closes itself, after a message over the limit.
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(resolve);
  const handle = serveStdio(
    ({ era }) => {
      const server = createServer(defaultAdmin, { session, isOnlyClient: true });
      announceChanges(server, backend, era);
      return server;
    },
    { transport, onerror: onError },
  );
  return { ended, close: () => handle.close() };
}
