import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { isWithin } from '../../shared/is-within.ts';

/**
 * The real path of a folder that may be followed: below one of the allowed ones, and not hidden. Throws `forbidden` and
 * `invalid_request`.
 */
export async function followableFolder(given: string, allowed: readonly string[]): Promise<string> {
  const path = given.replace(/^~(?=$|[/\\])/, () => homedir());
  if (!isAbsolute(path)) {
    throw new ServiceError(
      'invalid_request',
      `"${given}" is not an absolute path, such as ${join(homedir(), 'Documents')}.`,
    );
  }
  // Checked before any access to the file system, so that the error reveals nothing about other folders.
  requireAllowed(resolve(path), given, allowed);
  const info = await stat(path).catch(() => undefined);
  if (info?.isDirectory() !== true) {
    throw new ServiceError(
      'invalid_request',
      `"${given}" is not a readable folder of the machine that runs this service.`,
    );
  }
  const real = await realpath(path);
  requireAllowed(real, given, [...new Set([...allowed, ...(await realFolders(allowed))])]);
  return real;
}

function requireAllowed(path: string, given: string, allowed: readonly string[]): void {
  const bases = allowed.filter((base) => isWithin(path, base));
  if (bases.length === 0) {
    const known = allowed.length === 0 ? 'none is' : `allowed: ${allowed.join(', ')}`;
    throw new ServiceError(
      'forbidden',
      `"${given}" is not below a folder that may be followed (${known}). ` +
        `Set CITEWELL_ALLOW_FOLDERS, or start the service with "citewell serve --allow-dir ${given}".`,
    );
  }
  const isHidden = (base: string) =>
    relative(base, path)
      .split(sep)
      .some((part) => part.startsWith('.'));
  if (bases.every(isHidden)) {
    throw new ServiceError('forbidden', `"${given}" is a hidden folder, or within one; these are not followed.`);
  }
}

/** The real paths of these folders; a folder that cannot be resolved keeps its path. */
export const realFolders = (folders: readonly string[]): Promise<readonly string[]> =>
  Promise.all(folders.map((each) => realpath(each).catch(() => each)));

/** Whether the path, with links resolved, is one of these real folders or below one. */
export async function leadsBelow(path: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(path);
  return folders.some((base) => isWithin(real, base));
}

/** Device and inode, which change when the folder at the path is replaced; undefined if nothing exists there. */
export async function identityOf(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info && `${info.dev}:${info.ino}`;
}

/** Whether one of two folders is the other, or contains it. */
export const overlap = (one: string, other: string): boolean =>
  one === other || one.startsWith(other + sep) || other.startsWith(one + sep);
