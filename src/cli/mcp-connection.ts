import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ToolSelectionOptions } from '../mcp/choose-tools.ts';
import type { McpServerParts } from '../mcp/server.ts';
import type { FollowedFolder } from '../toolbox/tool-ports.ts';
import { readVersion } from '../version.ts';
import { foldersOf } from './folders-of.ts';
import type { Following } from './follow-in-background.ts';
import { offerFor } from './offer-tools.ts';

/** The options of `citewell mcp`. */
export interface McpOptions extends ToolSelectionOptions {
  /** Folders ingested at start and followed. */
  readonly folder?: readonly string[];
  readonly allowDir?: readonly string[];
  readonly toolPrefix?: string;
}

export interface McpConnection {
  /** What the server is created from, except its backend. */
  readonly parts: Omit<McpServerParts, 'backend'>;
  /** Begins to follow the folders. `warm` and `report`: see follow-in-background.ts. */
  follow(with_: { warm(): Promise<void>; report(message: string): void }): void;
  close(): Promise<void>;
}

/** Milliseconds after the start before slow work begins, so that it does not delay the first reply. */
export const WARM_AFTER = 400;

/**
 * Prepares what one client is offered. `serving` are the settings of the process that runs the tools, if it is another
 * one. Throws ServiceError for options that cannot be met.
 */
export async function prepareConnection(
  config: Config,
  options: McpOptions,
  cwd: string,
  serving?: Config,
): Promise<McpConnection> {
  const absolute = (names: readonly string[] = []) => names.map((name) => resolve(cwd, name));
  const roots = await foldersOf([...config.folders, ...absolute(options.folder)]);
  const folders = [...roots, ...absolute(options.allowDir)];
  const offer = offerFor(config, { ...options, folders: roots.length > 0 }, folders, serving);
  let following: Following | undefined;
  let isClosed = false;
  const notYet = (): FollowedFolder[] => roots.map((path) => ({ path, state: 'reading', done: 0, failed: 0 }));
  return {
    parts: {
      offer,
      folders,
      prefix: prefixOf(options),
      version: readVersion(),
      followed: () => following?.folders() ?? notYet(),
    },
    follow({ warm, report }) {
      if (roots.length === 0) return;
      import('./follow-in-background.ts')
        .then(({ followInBackground }) => {
          if (!isClosed) following = followInBackground(roots, config, { warm, report });
        })
        .catch((error: Error) => report(error.message));
    },
    async close() {
      isClosed = true;
      await following?.close();
    },
  };
}

function prefixOf({ toolPrefix = '' }: McpOptions): string {
  if (/^[A-Za-z0-9_-]{0,30}$/.test(toolPrefix)) return toolPrefix;
  throw new ServiceError(
    'invalid_field',
    `--tool-prefix "${toolPrefix}" cannot begin a tool's name: up to 30 letters, digits, _ and -.`,
  );
}
