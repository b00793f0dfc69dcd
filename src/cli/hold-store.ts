import type { Logger } from 'pino';
import { openAdapters } from '../adapters/open-adapters.ts';
import { compose } from '../compose/compose.ts';
import type { Config } from '../config.ts';
import type { ToolOffer } from '../mcp/choose-tools.ts';
import type { ServerInfo } from '../store/server-info.ts';
import { type OpenServer, openServer } from './open-server.ts';

export interface HoldOptions {
  readonly role: Exclude<ServerInfo['role'], 'server'>;
  readonly log: Logger;
  readonly embedder?: 'claim' | 'keep';
  /** Tools for MCP clients over HTTP; without it none are served. */
  readonly offer?: ToolOffer;
  readonly folders?: readonly string[];
  /** Called when a server requests the data folder; without it the folder is not handed over. */
  readonly onReleaseRequest?: () => Promise<void>;
}

/** Opens the data folder in this process and serves it to other processes of this user. */
export async function holdStore(
  config: Config,
  { log, embedder = 'claim', ...options }: HoldOptions,
): Promise<{ readonly server: OpenServer; close(): Promise<void> }> {
  const adapters = await openAdapters(config, { log, role: options.role });
  const services = await compose(adapters).start({ embedder, resumes: options.role === 'mcp' });
  try {
    const server = await openServer({ ...options, services, config, address: { host: '127.0.0.1', port: 0 } });
    return {
      server,
      async close() {
        await server.close();
        await services.close();
      },
    };
  } catch (error) {
    await services.close();
    throw error;
  }
}
