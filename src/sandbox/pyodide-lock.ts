import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const lockSchema = z.object({
  info: z.object({ abi_version: z.string(), python: z.string() }),
  packages: z.record(
    z.string(),
    z.object({
      name: z.string(),
      version: z.string(),
      file_name: z.string().regex(/^[\w.+-]+$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      depends: z.array(z.string()),
      package_type: z.string(),
    }),
  ),
});

/** The packages of Pyodide's distribution, with files, checksums and dependencies. */
export type PyodideLock = z.output<typeof lockSchema>;
export type LockedPackage = PyodideLock['packages'][string];

/** `pyodide` is the folder of the npm package, which contains the lock file. */
export async function readLock(pyodide: string): Promise<PyodideLock> {
  const { info, packages } = lockSchema.parse(JSON.parse(await readFile(join(pyodide, 'pyodide-lock.json'), 'utf8')));
  // A null prototype, so that names such as "constructor" are not found.
  return { info, packages: Object.assign(Object.create(null), packages) };
}

/** Normalised package name (PEP 503). */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/** The packages in load order: shared libraries first, dependencies before dependents. Unknown names are omitted. */
export function withDependencies(names: readonly string[], { packages }: PyodideLock): readonly LockedPackage[] {
  const chosen = new Map<string, LockedPackage>();
  const visit = (name: string): void => {
    const entry = packages[name];
    if (entry === undefined || chosen.has(name)) return;
    for (const dependency of entry.depends) visit(plainName(dependency));
    chosen.set(name, entry);
  };
  for (const name of names) visit(plainName(name));
  const isLibrary = ({ package_type }: LockedPackage) => (package_type === 'shared_library' ? 0 : 1);
  return [...chosen.values()].sort((a, b) => isLibrary(a) - isLibrary(b));
}
