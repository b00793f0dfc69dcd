import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { ServiceError } from '../../src/errors.ts';
import { isWithin } from '../../src/shared/is-within.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

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

/** Resolves the folder at `given`, or the only allowed folder. Throws `invalid_request` if it is not a folder. */
export async function allowedFolder(
  given: string | undefined,
  { folders = [] }: Pick<ToolContext, 'folders'>,
): Promise<string> {
  const [only, ...others] = folders;
  if (given === undefined && others.length > 0) {
    throw new ServiceError(
      'invalid_request',
      `Several folders are allowed; give the path of one: ${folders.join(', ')}.`,
    );
  }
  const path = await allowedPath(given ?? only ?? '', folders);
  if ((await stat(path)).isDirectory()) return path;
  throw new ServiceError(
    'invalid_request',
    `"${given ?? path}" is not a folder; use ingest_file to add a single file.`,
  );
}
