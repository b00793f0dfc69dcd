import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { readServerInfo, type ServerInfo } from '../store/server-info.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { httpClient } from './http-client.ts';
import { askServer } from './send-request.ts';

export interface ConnectOptions {
  /** `keep` for commands that do not search, so that they work whatever embedder the settings name. */
  readonly embedder?: 'claim' | 'keep';
}

const HEALTH_TIMEOUT_MS = 3_000;

/** How long a command waits for another one that has the data folder. */
const WAIT_FOR_FOLDER_MS = 10_000;
const ASK_AGAIN_MS = 150;

/** The server that runs on the data folder, or Citewell in this process when there is none. */
export async function connect(config: Config, context: CommandContext, options: ConnectOptions): Promise<Client> {
  const { output, interruption } = context;
  const giveUpAt = performance.now() + WAIT_FOR_FOLDER_MS;
  for (let isFirst = true; ; isFirst = false) {
    const server = await findServer(config.dataDir);
    if (server !== undefined) return httpClient(server.url, server.token);
    try {
      return await openInProcess(config, context, options);
    } catch (error) {
      // Another command has the folder, most likely for a moment; or a server has it that is still starting.
      const isTaken = error instanceof ServiceError && error.code === 'conflict';
      if (!isTaken || performance.now() > giveUpAt || interruption.stop.aborted) throw error;
      if (isFirst && output.isInteractive)
        output.note(output.noteStyle('dim', 'Waiting for another command to finish.'));
      await sleep(ASK_AGAIN_MS, undefined, { signal: interruption.stop }).catch(() => undefined);
    }
  }
}

async function openInProcess(config: Config, { output }: CommandContext, options: ConnectOptions): Promise<Client> {
  // Only now: a command that talks to a server needs none of it.
  const [{ createServices }, { inProcessClient }, { commandLog }] = await Promise.all([
    import('../services.ts'),
    import('./in-process-client.ts'),
    import('./log.ts'),
  ]);
  return inProcessClient(await createServices(config, { ...options, log: commandLog(config.logLevel, output) }));
}

/** The server on that data folder; undefined when none runs. Throws when one runs but is stuck. */
export async function findServer(dataDir: string): Promise<ServerInfo | undefined> {
  const info = await readServerInfo(dataDir);
  if (info === undefined) return undefined;
  try {
    await askServer(info.url, { method: 'GET', path: '/health', signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return info;
  } catch (error) {
    // It may have ended between the two looks.
    if ((await readServerInfo(dataDir)) === undefined) return undefined;
    throw new ServiceError(
      'store_failed',
      `A server runs on ${dataDir} (process ${info.pid}, ${info.url}) but does not answer. Stop it and try again.`,
      { cause: error },
    );
  }
}
