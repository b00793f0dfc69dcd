import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { type GlibcVersion, glibcName, installedGlibc, isNewer } from './glibc.ts';
import { lowerGlibcNeeds, newestGlibcNeeded } from './lower-glibc-needs.ts';

/** The machine a binding must load on. */
export interface BindingHost {
  readonly platform: string;
  readonly architecture: string;
  /** Undefined where there is none: other systems, and Linux with musl. */
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

const WAY_OUT = 'or set CHROMA_URL to a running Chroma';

/** The name of the platform package. Throws `not_configured` where Chroma publishes none. */
export function bindingPackageName({ platform, architecture, glibc }: BindingHost): string {
  const libc = platform === 'linux' ? (glibc ? '-gnu' : '-musl') : platform === 'win32' ? '-msvc' : '';
  const target = `${platform}-${architecture}${libc}`;
  if (!PUBLISHED_TARGETS.has(target)) {
    throw new ServiceError(
      'not_configured',
      `There is no embedded Chroma for ${target}. Use one of ${[...PUBLISHED_TARGETS].join(', ')}, ${WAY_OUT}.`,
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

/** Finds the installed platform package. Throws `not_configured` when it is not there. */
export async function findBindingPackage(host: BindingHost): Promise<BindingPackage> {
  const name = bindingPackageName(host);
  try {
    // The package is a dependency of chromadb's, not ours, and need not be visible from here.
    const fromChroma = createRequire(createRequire(import.meta.url).resolve('chromadb'));
    const manifestFile = fromChroma.resolve(`${name}/package.json`);
    const manifest = packageManifest.parse(JSON.parse(await readFile(manifestFile, 'utf8')));
    return { name, version: manifest.version, file: join(dirname(manifestFile), manifest.main) };
  } catch (cause) {
    throw new ServiceError(
      'not_configured',
      `The embedded Chroma needs the package ${name}, which is not installed. ` +
        `Run "npm install --include=optional", ${WAY_OUT}.`,
      { cause },
    );
  }
}

const packageManifest = z.object({ version: z.string(), main: z.string() });

/**
 * A file that `process.dlopen` accepts on this machine: the package's own, or on a Linux with an older glibc than it
 * was linked against a copy in `cacheFolder` that asks for less (see lower-glibc-needs.ts).
 */
export async function loadableBinding(
  binding: BindingPackage,
  host: BindingHost,
  cacheFolder: string,
): Promise<string> {
  const installed = host.glibc;
  if (!installed) return binding.file;
  const original = await readFile(binding.file);
  const needed = orExplain(binding, () => newestGlibcNeeded(original));
  if (!needed || !isNewer(needed, installed)) return binding.file;

  const copyFile = join(cacheFolder, await copyName(original, installed));
  if (await hasSize(copyFile, original.length)) return copyFile;
  const copy = orExplain(binding, () => lowerGlibcNeeds(original, installed));
  await mkdir(cacheFolder, { recursive: true });
  const unfinished = `${copyFile}.${randomUUID()}`;
  try {
    await writeFile(unfinished, copy, { mode: 0o700 });
    await rename(unfinished, copyFile);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw new ServiceError(
      'store_failed',
      `Cannot write ${copyFile}, the copy of the embedded Chroma that this system needs: ${String(cause)}`,
      { cause },
    );
  }
  await removeOtherCopies(copyFile);
  return copyFile;
}

const COPY_PREFIX = 'chroma-';
const COPY_ENDING = '.node';

async function copyName(original: Buffer<ArrayBuffer>, glibc: GlibcVersion): Promise<string> {
  // Off the event loop: the file has 50 MB.
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', original)).toString('hex');
  return `${COPY_PREFIX}${digest.slice(0, 32)}-glibc-${glibcName(glibc)}${COPY_ENDING}`;
}

async function hasSize(file: string, size: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.size === size;
}

function orExplain<T>(binding: BindingPackage, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError(
      'not_configured',
      `The embedded Chroma of ${binding.name} ${binding.version} cannot be loaded here. ${reason} ` +
        `Update the system, reinstall the package, ${WAY_OUT}.`,
      { cause },
    );
  }
}

// Copies of earlier versions are of no more use and large.
async function removeOtherCopies(keep: string): Promise<void> {
  const folder = dirname(keep);
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (name.startsWith(COPY_PREFIX) && name.endsWith(COPY_ENDING) && file !== keep) await rm(file, { force: true });
  }
}
