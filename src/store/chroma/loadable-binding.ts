import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { errorMessage } from '../../shared/error-message.ts';
import { writeWholeFile } from '../../shared/write-whole-file.ts';
import { type GlibcVersion, glibcName, installedGlibc, isNewer } from './glibc.ts';
import { lowerGlibcNeeds, newestGlibcNeeded } from './lower-glibc-needs.ts';

/** The platform a binding must load on. */
export interface BindingHost {
  readonly platform: string;
  readonly architecture: string;
  /** Undefined on other systems and on Linux with musl. */
  readonly glibc: GlibcVersion | undefined;
}

/** The npm package that holds the native Chroma server for one platform. */
export interface BindingPackage {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

export const thisHost = (): BindingHost => ({
  platform: process.platform,
  architecture: process.arch,
  glibc: installedGlibc(),
});

const ALTERNATIVE = 'or set CHROMA_URL to a running Chroma';

/** The name of the platform package. Throws `not_configured` if Chroma publishes none. */
export function bindingPackageName({ platform, architecture, glibc }: BindingHost): string {
  const libc = platform === 'linux' ? (glibc ? '-gnu' : '-musl') : platform === 'win32' ? '-msvc' : '';
  const target = `${platform}-${architecture}${libc}`;
  if (!PUBLISHED_TARGETS.has(target)) {
    throw new ServiceError(
      'not_configured',
      `There is no embedded Chroma for ${target}. Use one of ${[...PUBLISHED_TARGETS].join(', ')}, ${ALTERNATIVE}.`,
    );
  }
  return `chromadb-js-bindings-${target}`;
}

const PUBLISHED_TARGETS: ReadonlySet<string> = new Set([
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
]);

/** Finds the installed platform package. Throws `not_configured` if it is not installed. */
export async function findBindingPackage(host: BindingHost): Promise<BindingPackage> {
  const name = bindingPackageName(host);
  try {
    // The package is a dependency of chromadb and may not be resolvable from here.
    const fromChroma = createRequire(createRequire(import.meta.url).resolve('chromadb'));
    const manifestFile = fromChroma.resolve(`${name}/package.json`);
    const manifest = packageManifest.parse(JSON.parse(await readFile(manifestFile, 'utf8')));
    return { name, version: manifest.version, file: join(dirname(manifestFile), manifest.main) };
  } catch (cause) {
    throw new ServiceError(
      'not_configured',
      `The embedded Chroma needs the package ${name}, which is not installed. ` +
        `Run "npm install --include=optional", ${ALTERNATIVE}.`,
      { cause },
    );
  }
}

const packageManifest = z.object({ version: z.string(), main: z.string() });

/**
 * A file that `process.dlopen` accepts on this machine: the package's own, or, on a Linux with an older glibc than it
 * was linked against, a copy in `cacheFolder` with lower requirements (see lower-glibc-needs.ts).
 *
 * `cacheFolder` must be writable for this user alone. An existing copy is compared byte by byte with what the installed
 * package yields.
 */
export async function loadableBinding(
  binding: BindingPackage,
  host: BindingHost,
  cacheFolder: string,
): Promise<string> {
  const installed = host.glibc;
  if (!installed) return binding.file;
  const original = await readFile(binding.file);
  const needed = withInstallHint(binding, () => newestGlibcNeeded(original));
  if (!needed || !isNewer(needed, installed)) return binding.file;

  const copy = withInstallHint(binding, () => lowerGlibcNeeds(original, installed));
  const copyFile = join(cacheFolder, copyName(binding, installed));
  if (await holds(copyFile, copy)) {
    await markUsed(copyFile);
    return copyFile;
  }
  try {
    await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
    await writeWholeFile(copyFile, copy, { mode: 0o700, flush: true });
  } catch (cause) {
    throw new ServiceError(
      'store_failed',
      `Cannot write ${copyFile}, the copy of the embedded Chroma that this system needs: ${String(cause)}`,
      { cause },
    );
  }
  await removeUnusedCopies(copyFile);
  return copyFile;
}

const COPY_PREFIX = 'chroma-';
const COPY_ENDING = '.node';

/**
 * Includes the package's path, so that two installations with different content do not overwrite each other's copies.
 */
function copyName({ name, version, file }: BindingPackage, glibc: GlibcVersion): string {
  const keyHash = createHash('sha256')
    .update(JSON.stringify([name, version, file]))
    .digest('hex')
    .slice(0, 16);
  return `${COPY_PREFIX}${version.replaceAll(/[^\w.-]/g, '')}-glibc-${glibcName(glibc)}-${keyHash}${COPY_ENDING}`;
}

/** Whether it is a regular file of exactly these bytes. */
async function holds(file: string, expected: Buffer): Promise<boolean> {
  try {
    const found = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await found.stat();
      return size === expected.length && (await found.readFile()).equals(expected);
    } finally {
      await found.close();
    }
  } catch {
    // Absent, a symbolic link, or unreadable: a new copy replaces it.
    return false;
  }
}

function withInstallHint<T>(binding: BindingPackage, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new ServiceError(
      'not_configured',
      `The embedded Chroma of ${binding.name} ${binding.version} cannot be loaded here. ${reason} ` +
        `Update the system, reinstall the package, ${ALTERNATIVE}.`,
      { cause },
    );
  }
}

const UNUSED_AFTER_MS = 30 * 24 * 3_600_000;

async function markUsed(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
}

// Removes copies of earlier versions, which are large, unless another installation may be about to load one.
async function removeUnusedCopies(keep: string): Promise<void> {
  const folder = dirname(keep);
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!name.startsWith(COPY_PREFIX) || file === keep) continue;
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > UNUSED_AFTER_MS) await rm(file, { force: true });
  }
}
