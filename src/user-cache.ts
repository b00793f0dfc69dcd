// Loaded by src/cli/citewell.js before the program: an import of built-in modules would read all of their members, which
// takes 10 ms, because some of them load more parts of Node.
const { accessSync, chmodSync, constants, lstatSync, mkdirSync, mkdtempSync, rmSync } =
  process.getBuiltinModule('node:fs');
const { homedir, tmpdir } = process.getBuiltinModule('node:os');
const { isAbsolute, join } = process.getBuiltinModule('node:path');

/**
 * This user's cache folder for reproducible files: native modules, models, snapshots. Undefined without a home folder.
 * Nothing that is loaded or executed is stored in the data folder, which may come from somebody else.
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

/** An open cache folder. */
export interface UserCache {
  readonly path: string;
  /** Why a temporary folder is used; `close` then deletes it. Undefined for the user's own cache folder. */
  readonly problem?: string;
  close(): void;
}

/**
 * Opens the user's cache folder, creating it if necessary. If it is not writable or not private to this user, a new
 * temporary folder is used instead.
 */
export function openUserCache(folder: string | undefined): UserCache {
  const problem = folder === undefined ? 'This user has no home folder.' : privateFolderProblem(folder);
  if (folder !== undefined && problem === undefined) return { path: folder, close: () => undefined };
  // `mkdtemp` creates a folder with an unpredictable name that only this user can access.
  const path = mkdtempSync(join(tmpdir(), 'citewell-cache-'));
  return {
    path,
    problem: `${problem} A temporary folder is used instead.`,
    close: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * Creates the folder with access for this user only; returns the reason if others may write to it. Also loaded by
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
