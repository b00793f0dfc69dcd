import { startDatabaseThreads } from '../adapters/start-database-threads.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { readServerInfo, type ServerInfo } from '../store/server-info.ts';
import { type SharedStore, shareStore } from '../store/share-store.ts';
import type { CommandContext } from './command-context.ts';
import { askServer, ServerLost } from './send-request.ts';
import { createServerLink, type ServerAddress, type ServerLink } from './server-link.ts';

export interface ConnectOptions {
  /** `keep` for commands that do not search, so that they work with any embedder setting. */
  readonly embedder?: 'claim' | 'keep';
  /** Whether a starting server may take over the data folder; default true. */
  readonly releasesStore?: boolean;
}

/** A server on a busy machine can take long to answer; one that has ended refuses the connection at once. */
const HEALTH_TIMEOUT_MS = 60_000;
const WAIT_NOTED_AFTER_MS = 5_000;

/**
 * Connects to the process that holds the data folder. Without one, this process opens the folder and serves it, to
 * itself and to other processes of this user, until the link is closed.
 */
export async function connect(
  config: Config,
  context: Pick<CommandContext, 'output'>,
  options: ConnectOptions = {},
): Promise<ServerLink> {
  const { output } = context;
  const store: SharedStore<ServerAddress> = shareStore({
    async find() {
      const info = await findServer(config.dataDir, ({ pid, url }) =>
        output.note(`Waiting for the server (process ${pid}, ${url}), which has not answered yet.`),
      );
      return (
        info && {
          url: info.url,
          token: info.token,
          isLasting: info.role !== 'command',
          servesPage: info.role === 'server',
        }
      );
    },
    async open() {
      // Loaded lazily, because a command that talks to a server needs none of it.
      startDatabaseThreads(config);
      const [{ holdStore }, { commandLog }] = await Promise.all([import('./hold-store.ts'), import('./log.ts')]);
      const { server, close } = await holdStore(config, {
        ...options,
        role: 'command',
        log: commandLog(config.logLevel, output),
        ...(options.releasesStore !== false && { onReleaseRequest: () => store.release() }),
      });
      return { connection: { url: server.url, token: server.token, isLasting: false, servesPage: false }, close };
    },
    onWait() {
      if (output.isInteractive) output.note(output.noteStyle('dim', 'Waiting for another command to finish.'));
    },
  });
  const link = createServerLink(store);
  await link.address();
  return link;
}

/** The process that serves the data folder; undefined when none does. Throws when it does not respond. */
async function findServer(dataDir: string, onSlow: (server: ServerInfo) => void): Promise<ServerInfo | undefined> {
  const info = await readServerInfo(dataDir);
  if (info === undefined) return undefined;
  const slow = setTimeout(() => onSlow(info), WAIT_NOTED_AFTER_MS);
  try {
    await askServer(info.url, { method: 'GET', path: '/health', signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return info;
  } catch (error) {
    // The server responds; the command's own request will report what is wrong, such as an unavailable database.
    const isLost = error instanceof ServerLost || !(error instanceof ServiceError) || error.code === 'cancelled';
    if (!isLost) return info;
    // It may have ended between the two checks.
    if ((await readServerInfo(dataDir))?.token !== info.token) return undefined;
    throw new ServiceError(
      'store_failed',
      `A server runs on ${dataDir} (process ${info.pid}, ${info.url}) but does not answer. Stop it and try again.`,
      { cause: error },
    );
  } finally {
    clearTimeout(slow);
  }
}
