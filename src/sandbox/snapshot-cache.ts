import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { programFile } from '../program-file.ts';
import { writeWholeFile } from '../shared/write-whole-file.ts';
import type { PythonRuntime } from './runtime.ts';

/** Caches the memory of a started Python interpreter in a file; starting from it is five times as fast. */
export interface SnapshotCache {
  /** Path of the snapshot; calls `build` if none is valid. */
  get(build: () => Promise<Uint8Array>): Promise<string>;
  /** Deletes an unusable snapshot. */
  discard(): Promise<void>;
}

const SLOT = programFile('./slot/slot-process.ts', import.meta);
const COMPILED = ['boot-isolate', 'patch-pyodide'].map((name) => `${name}${extname(SLOT)}`);
const PROGRAM = [
  ...COMPILED,
  'isolate/prelude.js',
  'isolate/lockdown.js',
  'isolate/python.js',
  'python/sandbox.py',
  'python/workspace.py',
];

/**
 * Stores snapshots in a folder accessible to its owner only, because a snapshot determines Python's memory. Snapshots
 * made by other versions of Pyodide, Citewell or V8 are ignored.
 */
export async function openSnapshotCache(folder: string, runtime: PythonRuntime): Promise<SnapshotCache> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const file = join(folder, `snapshot-${await keyOf(runtime)}.bin`);
  return {
    async get(build) {
      const isThere = await stat(file).then(
        (found) => found.isFile(),
        () => false,
      );
      if (isThere) return file;
      await writeWholeFile(file, await build());
      await removeOthers(folder, file);
      return file;
    },
    discard: () => rm(file, { force: true }),
  };
}

async function keyOf({ pyodide, pyodideVersion }: PythonRuntime): Promise<string> {
  const hash = createHash('sha256').update(
    JSON.stringify([pyodideVersion, process.versions.v8, process.arch, process.platform]),
  );
  for (const name of ['pyodide.asm.wasm', 'python_stdlib.zip', 'pyodide.asm.mjs', 'pyodide.mjs']) {
    hash.update(await readFile(join(pyodide, name)));
  }
  for (const name of PROGRAM) hash.update(await readFile(join(dirname(SLOT), name)));
  return hash.digest('hex').slice(0, 32);
}

async function removeOthers(folder: string, kept: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (/^snapshot-[0-9a-f]{32}\.bin$/.test(name) && path !== kept) await rm(path, { force: true });
  }
}
