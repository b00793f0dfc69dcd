import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ToolOffer, ToolWishes } from '../mcp/choose-tools.ts';
import { keepStdoutPure } from '../mcp/keep-stdout-pure.ts';
import { mcpServers } from '../mcp/server.ts';
import { createSharedBackend, type OwnedBackend, type SharedBackend } from '../mcp/shared-backend.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { readServerInfo } from '../store/server-info.ts';
import { readVersion } from '../version.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { offerFor } from './offer-tools.ts';

export interface McpOptions extends ToolWishes {
  readonly allowDir?: readonly string[];
  readonly toolPrefix?: string;
}

/** After the first reply, so that it need not wait for what only the first call needs. */
const WARM_AFTER = 400;
/** What closing may take before the process ends anyway; hosts kill what stays longer. */
const CLOSE_WITHIN = 1_700;

/** `citewell mcp`: the Model Context Protocol over stdin and stdout, until stdin is closed. */
export async function mcp(options: McpOptions, context: CommandContext): Promise<ExitCode> {
  const protocol = keepStdoutPure(process);
  const config = await context.config();
  const folders = (options.allowDir ?? []).map((folder) => resolve(folder));
  const offer = offerFor(config, options, folders);
  const backend = sharedBackend(config, offer, folders);
  const connection = serveOverStdio({
    createServer: mcpServers({ backend, offer, folders, prefix: prefixOf(options), version: readVersion() }),
    backend,
    output: protocol,
    input: process.stdin,
    onError: (error) => context.output.note(`citewell mcp: ${error.message}`),
  });
  const warming = setTimeout(() => {
    backend.warm().catch((error: Error) => context.output.note(`citewell mcp: ${error.message}`));
  }, WARM_AFTER);

  const { stop } = context.interruption;
  await Promise.race([connection.ended, new Promise((end) => stop.addEventListener('abort', end, { once: true }))]);
  clearTimeout(warming);
  await Promise.race([Promise.all([connection.close(), backend.close()]), sleep(CLOSE_WITHIN)]);
  // Whatever a dependency still holds on to: nobody is there to be served any more.
  setTimeout(() => process.exit(), 50);
  return exitCodes.ok;
}

function prefixOf({ toolPrefix = '' }: McpOptions): string {
  if (/^[A-Za-z0-9_-]{0,30}$/.test(toolPrefix)) return toolPrefix;
  throw new ServiceError(
    'invalid_field',
    `--tool-prefix "${toolPrefix}" cannot begin a tool's name: up to 30 letters, digits, _ and -.`,
  );
}

function sharedBackend(config: Config, offer: ToolOffer, folders: readonly string[]): SharedBackend {
  const shared: SharedBackend = createSharedBackend({
    async find() {
      const info = await readServerInfo(config.dataDir);
      return info?.pid === process.pid ? undefined : info;
    },
    async open(): Promise<OwnedBackend> {
      // Only now: what answers the first message needs none of it.
      const [{ createServices }, { openServer }, { serverLog }] = await Promise.all([
        import('../services.ts'),
        import('./open-server.ts'),
        import('./log.ts'),
      ]);
      const services = await createServices(config, { log: serverLog(config.logLevel), resumes: true });
      try {
        const server = await openServer({
          services,
          config,
          address: { host: '127.0.0.1', port: 0 },
          offer,
          folders,
          role: 'mcp',
          onYield: () => shared.release(),
        });
        return {
          backend: server.backend,
          async close() {
            await server.close();
            await services.close();
          },
        };
      } catch (error) {
        await services.close();
        throw error;
      }
    },
  });
  return shared;
}
