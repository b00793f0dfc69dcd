import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { splitList } from '../shared/text.ts';
import { fetchLocked, installationTime, installedFiles, packagesFolder, slotPackage } from './install-packages.ts';
import { plainName, readLock, withDependencies } from './pyodide-lock.ts';
import type { SlotPackage } from './slot/slot-messages.ts';
import { parseWheelName, wheelKind } from './wheel-name.ts';

/** Python packages in addition to the standard library: the installed ones and those of a folder or mirror. */
export interface PythonPackages {
  /** The package files. Throws `not_configured` naming missing ones. */
  files(): Promise<readonly SlotPackage[]>;
  /** Changes when packages are installed or removed. */
  version?(): number;
}

export interface PackageOptions {
  /** Folder of the `pyodide` package, whose lock file lists packages with files and hashes. */
  readonly pyodide: string;
  readonly pyodideVersion: string;
  /** Folder for downloads and installed packages. */
  readonly cacheFolder: string;
  report?(message: string): void;
}

const VARIABLE = 'CITEWELL_PYTHON_PACKAGES';

/**
 * The installed packages and those from `source`, which take precedence: a folder of wheels, or the URL of a mirror of
 * Pyodide's distribution. Either can end in `#name,name` to select packages; a mirror requires that. Resolved on first
 * use and again after packages were installed or removed.
 */
export function openPackages(source: string | undefined, options: PackageOptions): PythonPackages {
  let found: Promise<readonly SlotPackage[]> | undefined;
  let installedAt = -1;
  const version = () => installationTime(packagesFolder(options.cacheFolder));
  return {
    version,
    async files() {
      const changedAt = version();
      if (changedAt !== installedAt) found = undefined;
      installedAt = changedAt;
      found ??= find(source, options).catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    },
  };
}

async function find(source: string | undefined, options: PackageOptions): Promise<readonly SlotPackage[]> {
  const folder = packagesFolder(options.cacheFolder);
  const installed = await installedFiles({ ...options, folder }, options.report);
  if (source === undefined) return installed;
  const configured = await fromSource(source, options);
  const names = new Set(configured.map(({ title }) => nameOf(title)));
  return [...configured, ...installed.filter(({ title }) => !names.has(nameOf(title)))];
}

/** The package name in a title, which consists of name and version. */
const nameOf = (title: string): string => plainName(title.split(' ')[0] ?? '');

async function fromSource(source: string, options: PackageOptions): Promise<readonly SlotPackage[]> {
  const [location = '', list] = source.split('#', 2);
  const names = list === undefined ? undefined : splitList(list).map(plainName);
  return /^https?:\/\//.test(location)
    ? fromMirror(location, names ?? [], options)
    : fromFolder(location, names, options);
}

async function fromFolder(folder: string, names: readonly string[] | undefined, { pyodide, report }: PackageOptions) {
  const entries = await readdir(folder).catch((cause: unknown) => {
    throw new ServiceError('not_configured', `${VARIABLE}: the folder ${folder} cannot be read.`, { cause });
  });
  const { info } = await readLock(pyodide);
  const packages: SlotPackage[] = [];
  for (const entry of entries.toSorted()) {
    const wheel = parseWheelName(entry);
    if (wheel === undefined) continue;
    const name = plainName(wheel.name);
    if (names !== undefined && !names.includes(name)) continue;
    if (wheelKind(wheel, info) === undefined) {
      report?.(
        `${entry} is not used: it is neither pure Python nor built for Pyodide ${info.abi_version} (Python ${info.python}).`,
      );
      continue;
    }
    const file = join(folder, entry);
    packages.push(slotPackage(file, entry, `${name} ${wheel.version}`, (await stat(file)).size));
  }
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
  const lock = await readLock(pyodide);
  const unknown = names.filter((name) => lock.packages[name] === undefined);
  if (unknown.length > 0) {
    throw new ServiceError(
      'not_configured',
      `${VARIABLE}: Pyodide's distribution has no ${unknown.join(', ')}. It has: ${Object.keys(lock.packages).toSorted().join(', ')}.`,
    );
  }
  // Separate from the folder of installed packages, because files missing from its manifest are deleted.
  const folder = join(cacheFolder, 'python', 'mirrored');
  const { signal } = new AbortController();
  return Promise.all(
    withDependencies(names, lock).map(async (entry) => {
      await fetchLocked(entry, { address, folder, signal, onProgress: () => undefined }).catch((cause: unknown) => {
        const reason = cause instanceof ServiceError ? cause.message : String(cause);
        throw new ServiceError('not_configured', `${VARIABLE}: ${entry.name} cannot be had: ${reason}`, { cause });
      });
      const file = join(folder, entry.file_name);
      return slotPackage(file, entry.file_name, `${entry.name} ${entry.version}`, (await stat(file)).size);
    }),
  );
}
