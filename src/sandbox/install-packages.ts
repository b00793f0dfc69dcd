import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { download, hasChecksum } from '../shared/download.ts';
import { writeWholeFile } from '../shared/write-whole-file.ts';
import { type LockedPackage, type PyodideLock, plainName, readLock, withDependencies } from './pyodide-lock.ts';
import type { SlotPackage } from './slot/slot-messages.ts';
import { parseWheelName, wheelKind } from './wheel-name.ts';

/** Packages installed by `citewell python add`, in load order. */
export interface InstalledPackages {
  /** Version of Pyodide for which they were installed. */
  readonly pyodide: string;
  readonly packages: readonly InstalledPackage[];
}

const installedPackage = z.object({
  name: z.string(),
  version: z.string(),
  file: z.string().regex(/^[\w.+!-]+$/),
  size: z.number(),
  sha256: z.string(),
  /** False if another package needs it. */
  requested: z.boolean(),
  /** Whether it is in Pyodide's lock file; otherwise it came from a folder of the operator. */
  locked: z.boolean(),
});
export type InstalledPackage = z.output<typeof installedPackage>;

const manifest = z.object({ pyodide: z.string(), packages: z.array(installedPackage) });
const MANIFEST = 'installed.json';

/** Where packages come from and where they are stored. */
export interface PackageSource {
  /** Folder of the npm package `pyodide`, whose lock file has the checksums. */
  readonly pyodide: string;
  readonly pyodideVersion: string;
  /** See `packagesFolder`. */
  readonly folder: string;
}

export const packagesFolder = (cacheFolder: string): string => join(cacheFolder, 'python', 'packages');

/** Address of the files of a release of Pyodide. */
export const releaseAddress = (version: string): string => `https://cdn.jsdelivr.net/pyodide/v${version}/full/`;

/** The installed packages; empty if there are none. Throws `not_configured` if the manifest is damaged. */
export async function installedPackages({ folder, pyodideVersion }: PackageSource): Promise<InstalledPackages> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) return { pyodide: pyodideVersion, packages: [] };
  try {
    return manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new ServiceError(
      'not_configured',
      `${join(folder, MANIFEST)} is damaged. Delete it, and run "citewell python add" again.`,
      { cause },
    );
  }
}

/** Changes whenever packages are installed or removed. */
export function installationTime(folder: string): number {
  try {
    return statSync(join(folder, MANIFEST)).mtimeMs;
  } catch {
    return 0;
  }
}

export interface AddOptions extends PackageSource {
  readonly names: readonly string[];
  /** Base address of the files of Pyodide's release. */
  readonly address: string;
  /** A folder with those files, and other wheels, instead of the address. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PackageProgress) => void;
}

export interface PackageProgress {
  readonly file: string;
  readonly number: number;
  readonly count: number;
  /** Bytes of this file downloaded so far. */
  readonly bytes: number;
}

/**
 * Installs packages with their dependencies. Files must match the checksums in Pyodide's lock file; only wheels of
 * packages not listed there are taken from a folder unchecked. An interrupted download resumes on the next run.
 */
export async function addPackages(options: AddOptions): Promise<InstalledPackages> {
  const { folder, pyodideVersion, names } = options;
  const lock = await readLock(options.pyodide);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const wanted = [...new Set(names.map(plainName))];
  const foreign = wanted.filter((name) => lock.packages[name] === undefined);
  const copied = await copyForeign(foreign, lock, options);
  const plan = async () => {
    const before = await installedPackages(options);
    const isCurrent = before.pyodide === pyodideVersion;
    const kept = before.packages.filter(({ name, locked }) => (locked || isCurrent) && !foreign.includes(name));
    const requested = [...kept.filter((entry) => entry.requested && entry.locked).map(({ name }) => name), ...wanted];
    return {
      before,
      requested,
      entries: withDependencies(requested, lock),
      others: kept.filter((entry) => !entry.locked),
    };
  };
  const { entries } = await plan();
  for (const [at, entry] of entries.entries()) {
    const show = (bytes: number) =>
      options.onProgress({ file: entry.file_name, number: at + 1, count: entries.length, bytes });
    if (options.from === undefined) await fetchLocked(entry, { ...options, onProgress: show });
    else await copyLocked(entry, options.from, folder);
  }
  // Another command may have installed or removed packages in the meantime.
  const now = await plan();
  return store(options, { ...now, foreign: [...now.others, ...copied] });
}

/** Removes packages, and those that only they needed. */
export async function removePackages(names: readonly string[], source: PackageSource): Promise<InstalledPackages> {
  const before = await installedPackages(source);
  const { packages } = before;
  const removed = names.map(plainName);
  const missing = removed.filter((name) => !packages.some((entry) => entry.name === name && entry.requested));
  if (missing.length > 0) {
    const needed = packages.filter(({ name }) => missing.includes(name)).map(({ name }) => name);
    const reason = needed.length > 0 ? `${needed.join(', ')} came with another package` : `not installed`;
    throw new ServiceError('invalid_request', `Cannot remove ${missing.join(', ')}: ${reason}.`);
  }
  const lock = await readLock(source.pyodide);
  const left = packages.filter(({ name }) => !removed.includes(name));
  const requested = left.filter((entry) => entry.requested && entry.locked).map(({ name }) => name);
  const foreign = left.filter(({ locked }) => !locked);
  // Keep the recorded version of Pyodide, as the remaining packages are still those of that version.
  const pyodideVersion = before.pyodide;
  return store(
    { ...source, pyodideVersion },
    { before, requested, entries: withDependencies(requested, lock), foreign },
  );
}

/** The installed packages for a slot. Throws `not_configured` if a file is damaged. */
export async function installedFiles(source: PackageSource, report?: (message: string) => void) {
  const { pyodide, packages } = await installedPackages(source);
  if (packages.length === 0) return [];
  const again = `citewell python add ${packages.flatMap((entry) => (entry.requested ? [entry.name] : [])).join(' ')}`;
  if (pyodide !== source.pyodideVersion) {
    report?.(
      `The Python packages are for Pyodide ${pyodide}, not ${source.pyodideVersion}, and are not used. Run: ${again}`,
    );
    return [];
  }
  return Promise.all(
    packages.map(async ({ name, version, file, sha256 }): Promise<SlotPackage> => {
      const path = join(source.folder, file);
      if (!(await hasChecksum(path, { algorithm: 'sha256', value: sha256 }))) {
        throw new ServiceError('not_configured', `The Python package ${file} is missing or damaged. Run: ${again}`);
      }
      return slotPackage(path, file, `${name} ${version}`, (await stat(path)).size);
    }),
  );
}

export const slotPackage = (file: string, name: string, title: string, bytes: number): SlotPackage => ({
  file,
  name,
  title,
  bytes,
  kind: parseWheelName(name)?.platform === 'any' ? 'archive' : 'unpacked',
});

export interface FetchOptions {
  readonly address: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/** Downloads a file of Pyodide's release, unless it already exists. */
export async function fetchLocked(
  { file_name: name, sha256 }: LockedPackage,
  { address, folder, signal, onProgress }: FetchOptions,
): Promise<void> {
  await download({
    name,
    signal,
    onProgress,
    url: new URL(name, address.endsWith('/') ? address : `${address}/`).href,
    target: join(folder, name),
    checksum: { algorithm: 'sha256', value: sha256 },
    mismatch: "It is not the file that Pyodide's lock file describes.",
    unreachable: 'Set CITEWELL_PYODIDE_URL to a mirror of it, or take the files from a folder with --from.',
  });
}

async function copyLocked({ name, file_name, sha256 }: LockedPackage, from: string, folder: string): Promise<void> {
  const [source, target] = [join(from, file_name), join(folder, file_name)];
  const checksum = { algorithm: 'sha256', value: sha256 } as const;
  if (await hasChecksum(target, checksum)) return;
  if (!(await hasChecksum(source, checksum))) {
    const isThere = await stat(source).then(
      () => true,
      () => false,
    );
    throw new ServiceError(
      'invalid_request',
      isThere
        ? `${source} is not the file that Pyodide's lock file describes. Fetch it again.`
        : `${name} is missing: put ${file_name} of Pyodide's release into ${from}.`,
    );
  }
  await writeWholeFile(target, await readFile(source));
}

/** Copies wheels that are not in the lock file from a folder; they must be compatible with this version of Pyodide. */
async function copyForeign(
  names: readonly string[],
  lock: PyodideLock,
  { from, folder }: Pick<AddOptions, 'from' | 'folder'>,
): Promise<InstalledPackage[]> {
  if (names.length === 0) return [];
  const found = from === undefined ? [] : await readdir(from).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const files = found.filter((file) => {
        const wheel = parseWheelName(file);
        return wheel && plainName(wheel.name) === name && wheelKind(wheel, lock.info) !== undefined;
      });
      const file = files.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
      if (file === undefined || from === undefined) {
        throw new ServiceError(
          'invalid_request',
          from === undefined
            ? `Pyodide's distribution has no "${name}". A wheel of it (…-none-any.whl) is added from a folder, with --from.`
            : `There is no usable wheel of ${name} in ${from}: neither pure Python nor for Pyodide ${lock.info.abi_version}.`,
        );
      }
      const bytes = await readFile(join(from, file));
      await writeWholeFile(join(folder, file), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const version = parseWheelName(file)?.version ?? '';
      return { name, version, file, size: bytes.length, sha256, requested: true, locked: false };
    }),
  );
}

const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

interface Installation {
  readonly before: InstalledPackages;
  readonly requested: readonly string[];
  readonly entries: readonly LockedPackage[];
  readonly foreign: readonly InstalledPackage[];
}

/** Writes the manifest, then deletes files no longer listed in it and old leftovers of interrupted commands. */
async function store(
  { folder, pyodideVersion }: PackageSource,
  { before, requested, entries, foreign }: Installation,
): Promise<InstalledPackages> {
  const locked = entries.map(async ({ name, version, file_name: file, sha256 }): Promise<InstalledPackage> => {
    const plain = plainName(name);
    const { size } = await stat(join(folder, file)).catch((cause: unknown) => {
      const again = `citewell python add ${requested.join(' ')}`;
      throw new ServiceError('not_configured', `The Python package ${file} is missing. Run: ${again}`, { cause });
    });
    return { name: plain, version, file, size, sha256, requested: requested.includes(plain), locked: true };
  });
  const installed = { pyodide: pyodideVersion, packages: [...(await Promise.all(locked)), ...foreign] };
  // A running service may read it at any time.
  await writeWholeFile(join(folder, MANIFEST), `${JSON.stringify(installed, null, 2)}\n`);
  const used = new Set([MANIFEST, ...installed.packages.map(({ file }) => file)]);
  for (const file of await readdir(folder)) {
    if (used.has(file) || !/\.(whl|zip|partial)$/.test(file)) continue;
    // A file that was not in the previous manifest may belong to a running command; deleted only if it is old.
    const isAbandoned = async () => {
      const found = await stat(join(folder, file)).catch(() => undefined);
      return found !== undefined && found.mtimeMs < Date.now() - ABANDONED_AFTER_MS;
    };
    if (before.packages.some((entry) => entry.file === file) || (await isAbandoned())) {
      await rm(join(folder, file), { force: true });
    }
  }
  return installed;
}
