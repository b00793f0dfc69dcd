import { accessSync, chmodSync, constants, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Where this user's programs keep what they can make again: native modules made for this system, models, snapshots.
 * Undefined where the user has no home. The data folder may have come with a folder of somebody else's, so nothing that
 * is loaded or run lies there.
 */
export function userCacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const home = homeFolder();
  const below = (folder: string | undefined, ...path: readonly string[]) =>
    folder !== undefined && isAbsolute(folder) ? join(folder, ...path) : undefined;
  const chosen = below(env['XDG_CACHE_HOME'], 'citewell');
  if (chosen !== undefined) return chosen;
  switch (platform) {
    case 'win32':
      return below(env['LOCALAPPDATA'], 'citewell', 'Cache') ?? below(home, 'AppData', 'Local', 'citewell', 'Cache');
    case 'darwin':
      return below(home, 'Library', 'Caches', 'citewell');
    default:
      return below(home, '.cache', 'citewell');
  }
}

/** The folder in use, until it is closed. */
export interface UserCache {
  readonly path: string;
  /** Why it is a temporary folder and not the user's, which is gone after `close`. */
  readonly problem?: string;
  close(): void;
}

/**
 * The user's cache folder, made if need be. Where it cannot be written to, or is not this user's alone, a fresh folder
 * in the system's temporary one takes its place.
 */
export function openUserCache(folder: string | undefined): UserCache {
  const problem = folder === undefined ? 'This user has no home folder.' : privateFolderProblem(folder);
  if (folder !== undefined && problem === undefined) return { path: folder, close: () => undefined };
  // `mkdtemp` makes it for this user alone, and under a name that nobody else has.
  const path = mkdtempSync(join(tmpdir(), 'citewell-cache-'));
  return {
    path,
    problem: `${problem} A temporary folder is used instead.`,
    close: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * Creates the folder for this user alone; returns why it cannot be used where others may write to it. Also loaded by
 * src/cli/citewell.js.
 *
 * @public
 */
export function privateFolderProblem(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    let found = lstatSync(folder);
    if (!found.isDirectory()) return `${folder} is a link or a file, not a folder.`;
    const user = process.getuid?.();
    if (user !== undefined) {
      if (found.uid !== user) return `${folder} belongs to another user.`;
      if ((found.mode & 0o077) !== 0) {
        chmodSync(folder, 0o700);
        found = lstatSync(folder);
        if ((found.mode & 0o077) !== 0) return `Other users may read or write ${folder}.`;
      }
    }
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
