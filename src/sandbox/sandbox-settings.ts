import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findRuntime } from './runtime.ts';
import type { SandboxLimits } from './sandbox.ts';

/** What can be set about the sandbox. */
export interface SandboxSettings {
  /** `auto` takes every layer that is there, `strict` insists on bubblewrap, `off` has no Python at all. */
  readonly mode: 'auto' | 'strict' | 'off';
  readonly limits: SandboxLimits;
  /** A folder of wheels or a mirror of Pyodide's distribution; see packages.ts. */
  readonly packages?: string;
  /** Folders to look for bubblewrap in, as PATH has them. */
  readonly searchPath?: string;
}

/** Why Python cannot be run with these settings, in words for people; undefined when it can, as far as one can tell. */
export function sandboxAbsence({ mode, searchPath }: SandboxSettings): string | undefined {
  if (mode === 'off') return 'Python is switched off (CITEWELL_SANDBOX=off).';
  const search = findRuntime();
  if (!search.found) return search.reason;
  if (mode === 'strict' && bubblewrapPath(searchPath) === undefined) {
    return 'CITEWELL_SANDBOX=strict asks for bubblewrap, which is not installed. Install it (bwrap), or use auto.';
  }
  return undefined;
}

/** Where the bubblewrap program lies, if it is there; only Linux has it. */
export function bubblewrapPath(searchPath: string | undefined): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, 'bwrap')).find((file) => existsSync(file));
}
