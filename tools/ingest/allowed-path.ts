import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ServiceError } from '../../src/errors.ts';

/**
 * Resolves a path at or below an allowed folder. Symbolic links are resolved before the check, so none can escape.
 * Paths outside and missing paths are indistinguishable to the caller.
 */
export async function allowedPath(given: string, folders: readonly string[]): Promise<string> {
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  for (const root of roots) {
    if (root === undefined) continue;
    const path = await realpath(isAbsolute(given) ? given : resolve(root, given)).catch(() => undefined);
    if (path !== undefined && isWithin(path, root)) return path;
  }
  throw new ServiceError(
    'invalid_request',
    folders.length === 0
      ? 'Reading files of this machine is not enabled; the operator can allow a folder with --folder or --allow-dir.'
      : `There is no file or folder "${given}" below the allowed folders: ${folders.join(', ')}. Give a path below one of them; list_files lists their files. The operator can allow other folders with --folder or --allow-dir.`,
  );
}

function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
