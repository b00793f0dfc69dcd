import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { splitList } from '../shared/text.ts';
import type { SlotPackage } from './slot/slot-messages.ts';
import { parseWheelName, wheelKind } from './wheel-name.ts';

/** Python packages that the operator provides in addition to the standard library. */
export interface PythonPackages {
  /** The package files. Throws `not_configured` naming missing ones. */
  files(): Promise<readonly SlotPackage[]>;
}

export interface PackageOptions {
  /** Folder of the `pyodide` package, whose lock file lists packages with files and hashes. */
  readonly pyodide: string;
  /** Folder for downloads. */
  readonly cacheFolder: string;
  report?(message: string): void;
}

const VARIABLE = 'CITEWELL_PYTHON_PACKAGES';
const DOWNLOAD_LIMIT_MS = 120_000;

/**
 * Packages from `source`: a folder of wheels, or the URL of a mirror of the Pyodide distribution. Either can end in
 * `#name,name` to select packages; a mirror requires that. Resolved once, on first use.
 */
export function openPackages(source: string | undefined, options: PackageOptions): PythonPackages {
  let found: Promise<readonly SlotPackage[]> | undefined;
  return {
    files() {
      found ??= find(source, options).catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    },
  };
}

async function find(source: string | undefined, options: PackageOptions): Promise<readonly SlotPackage[]> {
  if (source === undefined) return [];
  const [location = '', list] = source.split('#', 2);
  const names = list === undefined ? undefined : splitList(list).map(plainName);
  return /^https?:\/\//.test(location)
    ? fromMirror(location, names ?? [], options)
    : fromFolder(location, names, options);
}

/** Normalised package name (PEP 503). */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

async function fromFolder(folder: string, names: readonly string[] | undefined, { pyodide, report }: PackageOptions) {
  const entries = await readdir(folder).catch((cause: unknown) => {
    throw new ServiceError('not_configured', `${VARIABLE}: the folder ${folder} cannot be read.`, { cause });
  });
  const { info } = await readLock(pyodide);
  const packages = entries.toSorted().flatMap((entry): SlotPackage[] => {
    const wheel = parseWheelName(entry);
    if (wheel === undefined) return [];
    const name = plainName(wheel.name);
    if (names !== undefined && !names.includes(name)) return [];
    const kind = wheelKind(wheel, info);
    if (kind === undefined) {
      report?.(
        `${entry} is not used: it is neither pure Python nor built for Pyodide ${info.abi_version} (Python ${info.python}).`,
      );
      return [];
    }
    return [{ file: join(folder, entry), name: entry, kind, title: `${name} ${wheel.version}` }];
  });
  const missing = (names ?? []).filter((name) => !packages.some(({ title }) => title.startsWith(`${name} `)));
  if (missing.length > 0) {
    throw new ServiceError(
      'not_configured',
      `${VARIABLE}: there is no usable wheel of ${missing.join(', ')} in ${folder}. Wheels must be pure Python ` +
        `(…-none-any.whl) or built for Pyodide's ABI ${info.abi_version}.`,
    );
  }
  return packages;
}

async function fromMirror(address: string, names: readonly string[], { pyodide, cacheFolder }: PackageOptions) {
  if (names.length === 0) {
    throw new ServiceError(
      'not_configured',
      `${VARIABLE}: name the packages to take from ${address}, as in ${address}#numpy,pandas.`,
    );
  }
  const { packages } = await readLock(pyodide);
  const unknown = names.filter((name) => packages[name] === undefined);
  if (unknown.length > 0) {
    throw new ServiceError(
      'not_configured',
      `${VARIABLE}: Pyodide's distribution has no ${unknown.join(', ')}. It has: ${Object.keys(packages).toSorted().join(', ')}.`,
    );
  }
  const folder = join(cacheFolder, 'python', 'packages');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const chosen = withDependencies(names, packages);
  return Promise.all(
    chosen.map(async (entry): Promise<SlotPackage> => {
      const file = join(folder, entry.file_name);
      if (!(await hasHash(file, entry.sha256))) await download(address, file, entry);
      const wheel = parseWheelName(entry.file_name);
      const kind = wheel?.platform === 'any' ? 'archive' : 'unpacked';
      return { file, name: entry.file_name, kind, title: `${entry.name} ${entry.version}` };
    }),
  );
}

type Lock = z.output<typeof lockSchema>;
type LockedPackage = Lock['packages'][string];

const lockSchema = z.object({
  info: z.object({ abi_version: z.string(), python: z.string() }),
  packages: z.record(
    z.string(),
    z.object({
      name: z.string(),
      version: z.string(),
      file_name: z.string().regex(/^[\w.+-]+$/),
      sha256: z.string(),
      depends: z.array(z.string()),
      package_type: z.string(),
    }),
  ),
});

const readLock = async (pyodide: string): Promise<Lock> =>
  lockSchema.parse(JSON.parse(await readFile(join(pyodide, 'pyodide-lock.json'), 'utf8')));

/** The packages in load order: dependencies before their dependents, shared libraries first. */
function withDependencies(names: readonly string[], packages: Lock['packages']): readonly LockedPackage[] {
  const chosen = new Map<string, LockedPackage>();
  const visit = (name: string): void => {
    const entry = packages[name];
    if (entry === undefined || chosen.has(name)) return;
    for (const dependency of entry.depends) visit(plainName(dependency));
    chosen.set(name, entry);
  };
  for (const name of names) visit(name);
  const isLibrary = ({ package_type }: LockedPackage) => (package_type === 'shared_library' ? 0 : 1);
  return [...chosen.values()].sort((a, b) => isLibrary(a) - isLibrary(b));
}

async function hasHash(file: string, sha256: string): Promise<boolean> {
  if (
    !(await stat(file).then(
      (found) => found.isFile(),
      () => false,
    ))
  )
    return false;
  return hashOf(await readFile(file)) === sha256;
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The file must have the hash in Pyodide's lock file. */
async function download(address: string, file: string, { file_name, sha256, name }: LockedPackage): Promise<void> {
  const url = new URL(file_name, address.endsWith('/') ? address : `${address}/`);
  const refusal = (reason: string, cause?: unknown) =>
    new ServiceError('not_configured', `${VARIABLE}: ${name} cannot be had from ${url}: ${reason}.`, { cause });
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) }).catch((cause: unknown) => {
    throw refusal('it does not answer', cause);
  });
  if (!response.ok) throw refusal(`status ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (hashOf(bytes) !== sha256) throw refusal(`it is not the file that Pyodide's lock file describes`);
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, bytes, { mode: 0o600 });
  await rename(unfinished, file);
}
