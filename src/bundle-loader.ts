import type { Script } from 'node:vm';

// The first module that a process or thread loads, so it does not import the built-in modules it uses: an import would
// read all of their members, and some of them load many more parts of Node.
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { basename, dirname, join } = process.getBuiltinModule('node:path');
const { createRequire } = process.getBuiltinModule('node:module');
const { Script: CompiledScript } = process.getBuiltinModule('node:vm');
const { getEnvironmentData, setEnvironmentData } = process.getBuiltinModule('node:worker_threads');

/** Key under which the threads of a process find the folder of its code cache. */
const CACHE_FOLDER = 'citewell: folder of the code cache';
/**
 * By then, what a start needs has been compiled. Later, a garbage collection of an idle thread could have discarded some
 * of it (`shared/return-memory.ts`).
 */
const SAVE_AFTER_MS = 8000;
/** Cached code that has not been written for so long is deleted; what is still in use is written again. */
const KEPT_MS = 30 * 24 * 3_600_000;
const CHECKSUM_BYTES = 4;
const WRAPPER = ["(function (exports, require, importModule, __filename) { 'use strict'; ", '\n})'] as const;

/** A bundle that `scripts/bundle-program.js` has written. */
export interface Bundle {
  /** Runs a chunk, and those that it requires, unless they have run already; returns its exports. */
  load(name: string): object;
}

type RunChunk = (
  exports: object,
  require: (name: string) => unknown,
  importModule: (name: string) => Promise<unknown>,
  filename: string,
) => void;

/**
 * Opens the bundle in a folder. Unlike Node's compile cache, which stores the code of a module before it has run, the code
 * cache of a bundle contains also the functions that were compiled while it ran. This takes a quarter of the processor
 * time from a start of the service (docs/performance.md).
 */
export function openBundle(folder: string): Bundle {
  const loaded = new Map<string, object>();
  const requireInstalled = createRequire(join(folder, 'chunk.cjs'));

  const load = (name: string): object => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const exports = {};
    loaded.set(name, exports);
    const filename = join(folder, name);
    const run: RunChunk = compile(filename).runInThisContext();
    const require = (other: string) => (other.startsWith('./') ? load(other.slice(2)) : requireInstalled(other));
    run(exports, require, (other) => import(other), filename);
    return exports;
  };
  return { load };
}

/**
 * Chunks that are loaded from now on, also by threads, are taken from the code cache in this folder. What is missing there
 * is written after a while, or when the process or thread ends. Called by src/cli/citewell.js.
 *
 * @public
 */
export function useCodeCache(folder: string): void {
  setEnvironmentData(CACHE_FOLDER, folder);
}

/** Scripts that were compiled without cached code. */
const uncached: { readonly script: Script; readonly file: string; readonly source: Buffer }[] = [];

function compile(filename: string): Script {
  const source = readFileSync(filename);
  const folder = getEnvironmentData(CACHE_FOLDER);
  // The tag stands for the version and options of V8 and the features of the processor.
  const tag = process.getBuiltinModule('node:v8').cachedDataVersionTag().toString(16);
  const file = typeof folder === 'string' ? join(folder, `${basename(filename)}-${tag}`) : undefined;
  const cachedData = file === undefined ? undefined : readCode(file, source);
  const script = new CompiledScript(WRAPPER.join(source.toString('latin1')), {
    filename,
    columnOffset: -WRAPPER[0].length,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (file === undefined || (cachedData !== undefined && script.cachedDataRejected !== true)) return script;
  if (cachedData !== undefined) rmSync(file, { force: true });
  if (uncached.push({ script, file, source }) === 1) saveLater();
  return script;
}

function readCode(file: string, source: Buffer): Buffer | undefined {
  let stored: Buffer;
  try {
    stored = readFileSync(file);
  } catch {
    return undefined;
  }
  if (stored.length < CHECKSUM_BYTES) return undefined;
  const code = stored.subarray(CHECKSUM_BYTES);
  return stored.readUInt32LE() === checksum(code, source) ? code : undefined;
}

/** V8 compares only the length of the source and verifies nothing in the code, and damaged code ends the process. */
function checksum(code: Buffer, source: Buffer): number {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return crc32(code, crc32(source));
}

function saveLater(): void {
  setTimeout(save, SAVE_AFTER_MS).unref();
  process.once('exit', save);
}

function save(): void {
  process.removeListener('exit', save);
  const chunks = uncached.splice(0);
  try {
    for (const { script, file, source } of chunks) {
      const code = script.createCachedData();
      // Another thread may have run the same chunk, and more of it.
      if ((readCode(file, source)?.length ?? 0) < code.length) writeCode(file, code, source);
    }
    for (const folder of new Set(chunks.map(({ file }) => dirname(file)))) removeOldCode(folder);
  } catch {
    // Without cached code, the next start takes longer; nothing else depends on it.
  }
}

function writeCode(file: string, code: Buffer, source: Buffer): void {
  const unfinished = `${file}.${process.pid}-${performance.now()}.partial`;
  const head = Buffer.alloc(CHECKSUM_BYTES);
  head.writeUInt32LE(checksum(code, source));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(unfinished, Buffer.concat([head, code]), { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function removeOldCode(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}
