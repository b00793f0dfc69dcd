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
/** A process that ends sooner stores only what is not stored yet, so that it ends at once. */
const BRIEF_MS = 3000;
/** Stored code is replaced by code that is larger by this factor, because it contains more functions. */
const LARGER = 1.05;
/** Code that has not been stored again for so long is deleted; what is still used is then stored anew. */
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

/** A script that runs, and the file of its code. */
interface CachedScript {
  readonly script: Script;
  readonly file: string;
  readonly sourceChecksum: number;
  /** Whether the file had code that V8 accepted. */
  readonly isStored: boolean;
}

const cachedScripts: CachedScript[] = [];

function compile(filename: string): Script {
  const source = readFileSync(filename);
  const options = { filename, columnOffset: -WRAPPER[0].length };
  const text = WRAPPER.join(source.toString('latin1'));
  const folder = getEnvironmentData(CACHE_FOLDER);
  if (typeof folder !== 'string') return new CompiledScript(text, options);
  // The tag stands for the version and options of V8 and the features of the processor.
  const tag = process.getBuiltinModule('node:v8').cachedDataVersionTag().toString(16);
  const file = join(folder, `${basename(filename)}-${tag}`);
  const sourceChecksum = checksum(source);
  const code = readCode(file, sourceChecksum);
  const script = new CompiledScript(text, code === undefined ? options : { ...options, cachedData: code });
  const isStored = code !== undefined && script.cachedDataRejected !== true;
  if (cachedScripts.push({ script, file, sourceChecksum, isStored }) === 1) {
    setTimeout(() => store(cachedScripts), SAVE_AFTER_MS).unref();
    process.once('exit', () => {
      const isBrief = performance.now() < BRIEF_MS;
      store(cachedScripts.filter((each) => !(isBrief && each.isStored)));
    });
  }
  return script;
}

/** The stored code, which V8 must not see if it is damaged or of another source: V8 compares only the source's length. */
function readCode(file: string, sourceChecksum: number): Buffer | undefined {
  try {
    const stored = readFileSync(file);
    const code = stored.subarray(CHECKSUM_BYTES);
    return stored.readUInt32LE() === checksum(code, sourceChecksum) ? code : undefined;
  } catch {
    // There is none, or it is too short.
    return undefined;
  }
}

function checksum(bytes: Buffer, previous = 0): number {
  return process.getBuiltinModule('node:zlib').crc32(bytes, previous);
}

/** Stores what has been compiled so far, where that is more than is stored. */
function store(scripts: readonly CachedScript[]): void {
  try {
    for (const { script, file, sourceChecksum, isStored } of scripts) {
      const code = script.createCachedData();
      const { size = 0 } = (isStored ? statSync(file, { throwIfNoEntry: false }) : undefined) ?? {};
      if (code.length > LARGER * size) writeCode(file, code, checksum(code, sourceChecksum));
    }
    for (const folder of new Set(scripts.map(({ file }) => dirname(file)))) removeOldCode(folder);
  } catch {
    // Without stored code, the next start takes longer; nothing else depends on it.
  }
}

function writeCode(file: string, code: Buffer, checksumOfBoth: number): void {
  const unfinished = `${file}.${process.pid}-${performance.now()}.partial`;
  const head = Buffer.alloc(CHECKSUM_BYTES);
  head.writeUInt32LE(checksumOfBoth);
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
