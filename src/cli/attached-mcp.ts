import { type Duplex, PassThrough, pipeline } from 'node:stream';
import { Command } from 'commander';
import { type Config, loadConfig } from '../config.ts';
import type { Backend } from '../mcp/backend.ts';
import { type Attachment, NOTE_MARK } from '../mcp/peer/attachment.ts';
import { mcpServers } from '../mcp/server.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { onAbort } from '../shared/abort.ts';
import { lineSplitter } from '../shared/line-splitter.ts';
import { mcpOptions } from './commands/mcp-options.ts';
import { type McpOptions, prepareConnection, WARM_AFTER } from './mcp-connection.ts';

interface AttachedParts {
  /** Configuration of this process; its data folder is used for all attached sessions. */
  readonly config: Config;
  readonly backend: Backend;
  /** Origin at which this process serves the web page, if it does. */
  readonly pageOrigin?: (() => string) | undefined;
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal;
}

const HANDSHAKE_MS = 10_000;
const MAX_ATTACHMENT_BYTES = 1_000_000;

/**
 * Serves the clients of other `citewell mcp` processes of this user, which relay their messages (attach-mcp.ts), with
 * the arguments and settings of those processes. Invalid ones are refused, so that the process itself reports them.
 */
export function attachedMcp({
  config,
  backend,
  pageOrigin,
  stopping,
}: AttachedParts): (socket: Duplex, head: Buffer) => void {
  async function serve(socket: Duplex, head: Buffer, accepted: () => void): Promise<void> {
    const { words, cwd, env, session } = await readAttachment(socket, head);
    const command = mcpOptions(new Command('mcp')).exitOverride();
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} }).parse([...words], { from: 'user' });
    const settings = loadConfig({ env, cwd, readsWorkingFolder: false });
    const own = { ...settings, dataDir: config.dataDir };
    const prepared = await prepareConnection(own, command.opts<McpOptions>(), cwd, config);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    accepted();
    const note = (message: string) => socket.writable && socket.write(`${NOTE_MARK}${JSON.stringify(message)}\n`);
    const report = (message: string) => note(`citewell mcp: ${message}`);
    for (const warning of settings.warnings) note(`warning: ${warning}`);
    const createServer = mcpServers({ ...prepared.parts, backend });
    const input = new PassThrough();
    const connection = serveOverStdio({
      backend,
      session,
      input,
      output: socket,
      createServer: (principal, own) => createServer(principal, { ...own, pageOrigin: pageOrigin?.() }),
      onError: (error) => report(error.message),
    });
    pipeline(socket, input, () => {});
    const following = setTimeout(() => prepared.follow({ warm: async () => {}, report }), WARM_AFTER);
    await connection.ended;
    clearTimeout(following);
    await Promise.all([connection.close(), prepared.close()]);
  }

  return (socket, head) => {
    socket.once(
      'close',
      onAbort(stopping, () => socket.destroy()),
    );
    let isAccepted = false;
    const accepted = () => {
      isAccepted = true;
    };
    serve(socket, head, accepted).then(
      () => socket.destroy(),
      () => {
        // Once accepted, the stream carries only the client's messages, so an HTTP response would corrupt it.
        if (isAccepted) socket.destroy();
        // Resumed, because a paused socket does not notice that its peer closes the connection.
        else socket.resume().end('HTTP/1.1 409 Conflict\r\n\r\n');
      },
    );
  };
}

/** The first line of the connection; the process sends nothing more before it is accepted. */
async function readAttachment(socket: Duplex, head: Buffer): Promise<Attachment> {
  const { promise, resolve, reject } = Promise.withResolvers<Attachment>();
  const timer = setTimeout(() => reject(new Error('The attachment did not arrive.')), HANDSHAKE_MS);
  // Not validated: the sender knows the data folder's token, so it is an instance of this program.
  const read = lineSplitter((line) => resolve(JSON.parse(line) as Attachment), MAX_ATTACHMENT_BYTES);
  const onData = (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      reject(error as Error);
    }
  };
  socket.on('data', onData).once('close', () => reject(new Error('The connection was closed.')));
  onData(head);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.off('data', onData).pause();
  }
}
