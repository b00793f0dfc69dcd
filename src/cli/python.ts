import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import {
  addPackages,
  type InstalledPackages,
  installedPackages,
  type PackageSource,
  packagesFolder,
  releaseAddress,
  removePackages,
} from '../sandbox/install-packages.ts';
import { findRuntime } from '../sandbox/runtime.ts';
import { byteCount } from '../shared/byte-count.ts';
import { openUserCache } from '../user-cache.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';

interface AddPythonOptions {
  readonly from?: string;
  readonly json?: boolean;
}

/** `citewell python add`. */
export async function addPythonPackages(
  names: readonly string[],
  { from, json }: AddPythonOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  const config = await context.config();
  const source = packageSource(config);
  let shown = '';
  const installed = await addPackages({
    ...source,
    names,
    address: config.sandbox.pyodideUrl ?? releaseAddress(source.pyodideVersion),
    from: from === undefined ? undefined : resolve(from),
    signal: interruption.stop,
    onProgress: ({ file, number, count, bytes }) => {
      output.status(`${number} of ${count}: ${file}  ${byteCount(bytes)}`);
      // Without a terminal, no line can be rewritten, so each file gets one.
      if (!output.isInteractive && file !== shown) output.note(`${number} of ${count}: ${file}`);
      shown = file;
    },
  });
  if (json) {
    output.print(JSON.stringify(installed));
    return exitCodes.ok;
  }
  printTable(installed, context);
  output.note('A service that is running uses them from the next conversation on.');
  return exitCodes.ok;
}

/** `citewell python list`. */
export async function listPythonPackages(
  { json }: { readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const source = packageSource(await context.config());
  const installed = await installedPackages(source);
  if (json) {
    for (const entry of installed.packages) output.print(JSON.stringify(entry));
    return exitCodes.ok;
  }
  if (installed.packages.length === 0) {
    output.note('Python has its standard library only. Add packages with: citewell python add numpy pandas matplotlib');
    return exitCodes.ok;
  }
  printTable(installed, context);
  if (installed.pyodide !== source.pyodideVersion) {
    output.note(
      `They are for Pyodide ${installed.pyodide} and not used with ${source.pyodideVersion}. Add them again.`,
    );
  }
  return exitCodes.ok;
}

/** `citewell python remove`. */
export async function removePythonPackages(names: readonly string[], context: CommandContext): Promise<ExitCode> {
  const source = packageSource(await context.config());
  const before = await installedPackages(source);
  const { packages } = await removePackages(names, source);
  const removed = before.packages.filter(({ name }) => !packages.some((entry) => entry.name === name));
  context.output.print(`Removed ${removed.map(({ name }) => name).join(', ')}.`);
  return exitCodes.ok;
}

function printTable({ packages }: InstalledPackages, { output }: CommandContext): void {
  const rows = packages.map(({ name, version, size, requested, locked }) => [
    name,
    version,
    byteCount(size),
    originOf({ requested, locked }),
  ]);
  for (const line of table(rows)) output.print(line);
}

function originOf({ requested, locked }: { readonly requested: boolean; readonly locked: boolean }): string {
  if (!requested) return 'needed by others';
  return locked ? 'added' : 'added from a folder';
}

/** Throws `not_configured` without Pyodide or a cache folder, since a temporary one would lose the packages. */
export function packageSource({ cacheDir }: Config): PackageSource {
  const search = findRuntime();
  if (!search.found) throw new ServiceError('not_configured', search.reason);
  const { path, problem, close } = openUserCache(cacheDir);
  if (problem === undefined) return { ...search.runtime, folder: packagesFolder(path) };
  close();
  throw new ServiceError(
    'not_configured',
    `There is no folder for packages. ${problem.replace(/ A temporary .*/, '')}`,
  );
}
