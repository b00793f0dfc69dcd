import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Locations of isolated-vm and Pyodide, neither of which is loaded into this process. */
export interface PythonRuntime {
  /** The native addon of isolated-vm for this Node version and platform. */
  readonly binding: string;
  readonly isolatedVmVersion: string;
  /** Folder of the `pyodide` package. */
  readonly pyodide: string;
  readonly pyodideVersion: string;
}

export type RuntimeSearch =
  | { readonly found: true; readonly runtime: PythonRuntime }
  | { readonly found: false; readonly reason: string };

/** Finds isolated-vm and Pyodide, or returns what is missing and how to install it. */
export function findRuntime(require = createRequire(import.meta.url)): RuntimeSearch {
  const isolatedVm = findPackage(require, 'isolated-vm');
  if (isolatedVm === undefined) {
    return missing(
      'The package isolated-vm is not installed. Reinstall without --omit=optional, by an npm that runs on Node 24 or newer.',
    );
  }
  if (!hasEscapeFix(isolatedVm.version)) {
    return missing(
      `isolated-vm ${isolatedVm.version} can be escaped from (GHSA-864f-rcv7-6rh4). Install 7.0.1 or newer.`,
    );
  }
  const pyodide = findPackage(require, 'pyodide');
  if (pyodide === undefined) return missing('The package pyodide is not installed. Install again.');
  try {
    const { resolve }: { resolve(folder: string): string } = createRequire(join(isolatedVm.folder, 'package.json'))(
      'node-gyp-build',
    );
    return {
      found: true,
      runtime: {
        binding: resolve(isolatedVm.folder),
        isolatedVmVersion: isolatedVm.version,
        pyodide: pyodide.folder,
        pyodideVersion: pyodide.version,
      },
    };
  } catch {
    return missing(
      `isolated-vm ${isolatedVm.version} has no compiled part for ${process.platform}-${process.arch} and Node ` +
        `${process.versions.node}. Run "npm rebuild isolated-vm --ignore-scripts=false" (needs a C++ compiler).`,
    );
  }
}

const missing = (reason: string): RuntimeSearch => ({ found: false, reason });

function findPackage(require: NodeJS.Require, name: string): { folder: string; version: string } | undefined {
  try {
    const file = require.resolve(`${name}/package.json`);
    const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
    return { folder: dirname(file), version };
  } catch {
    return undefined;
  }
}

function hasEscapeFix(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major > 7 || (major === 7 && (minor > 0 || patch >= 1)) || (major === 6 && minor >= 2);
}
