import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findRuntime } from './runtime.ts';
import type { SandboxLimits } from './sandbox.ts';

/** Sandbox settings. */
export interface SandboxSettings {
  /** `auto` uses all available layers, `strict` requires bubblewrap, `off` disables Python. */
  readonly mode: 'auto' | 'strict' | 'off';
  readonly limits: SandboxLimits;
  /** A folder of wheels or a mirror of Pyodide's distribution, in addition to installed packages; see packages.ts. */
  readonly packages?: string;
  /** Where `citewell python add` downloads from, instead of the address of Pyodide's release. */
  readonly pyodideUrl?: string;
  /** Folders searched for bubblewrap, in the format of PATH. */
  readonly searchPath?: string;
}

/** The reason, for display, why Python cannot be run with these settings; undefined if nothing prevents it. */
export function sandboxAbsence({ mode, searchPath }: SandboxSettings): string | undefined {
  if (mode === 'off') return 'Python is switched off (CITEWELL_SANDBOX=off).';
  const search = findRuntime();
  if (!search.found) return search.reason;
  if (mode === 'strict' && bubblewrapPath(searchPath) === undefined) {
    return 'CITEWELL_SANDBOX=strict asks for bubblewrap, which is not installed. Install it (bwrap), or use auto.';
  }
  return undefined;
}

/** Path of the bubblewrap executable, if found; Linux only. */
export function bubblewrapPath(searchPath: string | undefined): string | undefined {
  return process.platform === 'linux' ? findProgram('bwrap', searchPath) : undefined;
}

/** Path of a program in `searchPath`, a list of folders in the format of PATH; undefined if not found. */
export function findProgram(name: string, searchPath: string | undefined): string | undefined {
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}
