import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is this folder or below it. Compares the paths as written, without resolving links. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  // On Windows, a path on another drive stays absolute.
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
