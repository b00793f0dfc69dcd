import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabaseThreads } from '../adapters/start-database-threads.ts';
import type { Config } from '../config.ts';
import type { ToolOffer } from '../mcp/choose-tools.ts';
import { reserveStdout } from '../mcp/reserve-stdout.ts';
import { mcpServers } from '../mcp/server.ts';
import { createSharedBackend, type OwnedBackend, type SharedBackend } from '../mcp/shared-backend.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { untilAborted } from '../shared/abort.ts';
import { readServerInfo } from '../store/server-info.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type McpOptions, prepareConnection, WARM_AFTER } from './mcp-connection.ts';
import { noteForPeople } from './note-for-people.ts';

/** Milliseconds for closing; hosts kill slower processes. */
const CLOSE_WITHIN = 1_700;

/** `citewell mcp`: the Model Context Protocol over stdin and stdout, until stdin is closed. */
export async function mcp(options: McpOptions, context: CommandContext): Promise<ExitCode> {
  const { session } = context;
  const output = session?.output ?? reserveStdout(process);
  // Hosts start this in any folder that is open, so its .env cannot be trusted.
  const config = await context.config({ readsWorkingFolder: false });
  const prepared = await prepareConnection(config, options, process.cwd());
  const { offer, folders } = prepared.parts;
  if (session === undefined) noteForPeople(process);
  const backend = sharedBackend(config, offer, folders);
  const report = (message: string) => context.output.note(`citewell mcp: ${message}`);
  const connection = serveOverStdio({
    createServer: mcpServers({ ...prepared.parts, backend }),
    backend,
    output,
    input: session?.input ?? process.stdin,
    answersAfterEnd: true,
    onError: (error) => report(error.message),
  });
  const warming = setTimeout(() => {
    backend
      .warm()
      .catch((error: Error) => report(error.message))
      .finally(session?.releaseSuccession);
    prepared.follow({ warm: backend.warm, report });
  }, WARM_AFTER);

  const { stop } = context.interruption;
  await Promise.race([connection.ended, untilAborted(stop)]);
  clearTimeout(warming);
  const closing = async () => {
    await Promise.all([connection.close(), prepared.close()]);
    await backend.close();
  };
  await Promise.race([closing(), sleep(CLOSE_WITHIN)]);
  // No client is connected any more, so open handles of dependencies need not be waited for.
  setTimeout(() => process.exit(), 50);
  return exitCodes.ok;
}

function sharedBackend(config: Config, offer: ToolOffer, folders: readonly string[]): SharedBackend {
  const shared: SharedBackend = createSharedBackend({
    async find() {
      const info = await readServerInfo(config.dataDir);
      return info?.pid === process.pid ? undefined : info;
    },
    async open(): Promise<OwnedBackend> {
      // Loaded lazily, because the first reply needs none of it.
      startDatabaseThreads(config);
      const [{ holdStore }, { serverLog }] = await Promise.all([import('./hold-store.ts'), import('./log.ts')]);
      const { server, close } = await holdStore(config, {
        offer,
        folders,
        role: 'mcp',
        log: serverLog(config.logLevel),
        onReleaseRequest: () => shared.release(),
      });
      return { backend: (await server.mcp()).backend, close };
    },
  });
  return shared;
}
