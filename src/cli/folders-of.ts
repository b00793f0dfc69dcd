import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { ServiceError } from '../errors.ts';

/**
 * The real paths of these folders. Throws `invalid_request` for a path that is not a folder and for nested folders.
 */
export async function foldersOf(names: readonly string[]): Promise<string[]> {
  const roots: string[] = [];
  for (const name of names) {
    const info = await stat(name).catch(() => undefined);
    if (info?.isDirectory() !== true) {
      throw new ServiceError('invalid_request', `"${name}" is not a readable folder; only folders can be watched.`);
    }
    roots.push(await realpath(name));
  }
  const inner = roots.find((root) => roots.some((other) => root !== other && root.startsWith(other + sep)));
  if (inner !== undefined) {
    throw new ServiceError('invalid_request', `${inner} is inside another given folder; give only the outer folder.`);
  }
  return [...new Set(roots)];
}
