import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ToolOffer, ToolSelectionOptions } from '../mcp/choose-tools.ts';
import { reserveStdout } from '../mcp/reserve-stdout.ts';
import { mcpServers } from '../mcp/server.ts';
import { createSharedBackend, type OwnedBackend, type SharedBackend } from '../mcp/shared-backend.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { untilAborted } from '../shared/abort.ts';
import { readServerInfo } from '../store/server-info.ts';
import { readVersion } from '../version.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { foldersOf } from './folders-of.ts';
import type { Following } from './follow-in-background.ts';
import { offerFor } from './offer-tools.ts';

export interface McpOptions extends ToolSelectionOptions {
  /** Folders ingested at start and followed. */
  readonly folder?: readonly string[];
  readonly allowDir?: readonly string[];
  readonly toolPrefix?: string;
}

/** Milliseconds after the first reply before the store is opened, so that the reply need not wait. */
const WARM_AFTER = 400;
/** Milliseconds for closing; hosts kill slower processes. */
const CLOSE_WITHIN = 1_700;

/** `citewell mcp`: the Model Context Protocol over stdin and stdout, until stdin is closed. */
export async function mcp(options: McpOptions, context: CommandContext): Promise<ExitCode> {
  const protocol = reserveStdout(process);
  // Hosts start this in any folder that is open, so its .env cannot be trusted.
  const config = await context.config({ readsWorkingFolder: false });
  const roots = await foldersOf([...config.folders, ...(options.folder ?? [])]);
  const folders = [...roots, ...(options.allowDir ?? []).map((folder) => resolve(folder))];
  const offer = offerFor(config, { ...options, folders: roots.length > 0 }, folders);
  const backend = sharedBackend(config, offer, folders);
  let following: Following | undefined;
  const connection = serveOverStdio({
    createServer: mcpServers({
      ...{ backend, offer, folders, prefix: prefixOf(options), version: readVersion() },
      followed: () => following?.folders() ?? roots.map((path) => ({ path, state: 'reading', done: 0, failed: 0 })),
    }),
    backend,
    output: protocol,
    input: process.stdin,
    onError: (error) => context.output.note(`citewell mcp: ${error.message}`),
  });
  const warming = setTimeout(() => {
    const report = (message: string) => context.output.note(`citewell mcp: ${message}`);
    backend.warm().catch((error: Error) => report(error.message));
    if (roots.length === 0) return;
    import('./follow-in-background.ts')
      .then(({ followInBackground }) => {
        following = followInBackground(roots, config, { warm: backend.warm, report });
      })
      .catch((error: Error) => report(error.message));
  }, WARM_AFTER);

  const { stop } = context.interruption;
  await Promise.race([connection.ended, untilAborted(stop)]);
  clearTimeout(warming);
  const closing = async () => {
    await Promise.all([connection.close(), following?.close()]);
    await backend.close();
  };
  await Promise.race([closing(), sleep(CLOSE_WITHIN)]);
  // Nobody is connected any more, so whatever a dependency still holds can be dropped.
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
      // Loaded only now: the first reply needs none of it.
      const [{ holdStore }, { serverLog }] = await Promise.all([import('./hold-store.ts'), import('./log.ts')]);
      const { server, close } = await holdStore(config, {
        ...{ offer, folders, role: 'mcp' },
        log: serverLog(config.logLevel),
        onYield: () => shared.release(),
      });
      return { backend: (await server.mcp()).backend, close };
    },
  });
  return shared;
}
