import type { Script } from 'node:vm';

// The first module that a process or thread loads, so it does not import the built-in modules it uses: an import would
// read all of their members, and some of them load many more parts of Node.
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { basename, dirname, join } = process.getBuiltinModule('node:path');
const { createRequire } = process.getBuiltinModule('node:module');
const { Script: CompiledScript } = process.getBuiltinModule('node:vm');

/** A process and its bundle each have an instance of this module, so the folder of the code cache is a global property. */
const CACHE_FOLDER = Symbol.for('citewell: folder of the code cache');
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
const HASH_BYTES = 20;
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
 * cache of a bundle contains also the functions that were compiled while it ran, which takes a fifth of the processor time
 * from a start of the service (docs/performance.md).
 */
export function openBundle(folder: string): Bundle {
  const loaded = new Map<string, object>();
  const requireInstalled = createRequire(join(folder, 'chunk.cjs'));

  const load = (name: string): object => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const filename = join(folder, name);
    const run: RunChunk = compile(filename).runInThisContext();
    const exports = {};
    // Before the chunk runs, since those that it requires may require it.
    loaded.set(name, exports);
    // `require` would read all members of built-in modules, as an import does.
    const require = (other: string): unknown =>
      other.startsWith('./') ? load(other.slice(2)) : (process.getBuiltinModule(other) ?? requireInstalled(other));
    try {
      run(exports, require, (other) => import(other), filename);
    } catch (error) {
      loaded.delete(name);
      throw error;
    }
    return exports;
  };
  return { load };
}

/**
 * Chunks that this thread loads from now on are taken from the code cache in this folder. What is missing there is written
 * after a while, or when the process ends. Called by src/cli/citewell.js and by the start of the database threads, which
 * scripts/bundle-program.js writes.
 *
 * @public
 */
export function useCodeCache(folder: string): void {
  Reflect.set(globalThis, CACHE_FOLDER, folder);
}

/** The folder of the code cache, for `workerData` of threads that run a bundle; undefined without one. */
export function codeCacheFolder(): string | undefined {
  const folder: unknown = Reflect.get(globalThis, CACHE_FOLDER);
  return typeof folder === 'string' ? folder : undefined;
}

/** A script that runs, and the file of its code. */
interface CachedScript {
  readonly script: Script;
  readonly file: string;
  readonly sourceHash: Buffer;
  /** Whether the file had code that V8 accepted. */
  readonly isStored: boolean;
}

const cachedScripts: CachedScript[] = [];

function compile(filename: string): Script {
  const source = readFileSync(filename);
  const options = { filename, columnOffset: -WRAPPER[0].length };
  const text = WRAPPER.join(source.toString('latin1'));
  const folder = codeCacheFolder();
  if (folder === undefined) return new CompiledScript(text, options);
  // The tag stands for the version and options of V8 and the features of the processor.
  const tag = process.getBuiltinModule('node:v8').cachedDataVersionTag().toString(16);
  const file = join(folder, `${basename(filename)}-${tag}`);
  const sourceHash = hashOf(source);
  const code = readCode(file, sourceHash);
  const script = new CompiledScript(text, code === undefined ? options : { ...options, cachedData: code });
  const isStored = code !== undefined && script.cachedDataRejected !== true;
  if (cachedScripts.push({ script, file, sourceHash, isStored }) === 1) {
    setTimeout(() => void storeInTurn(cachedScripts), SAVE_AFTER_MS).unref();
    process.once('exit', () => {
      const isBrief = performance.now() < BRIEF_MS;
      for (const each of cachedScripts) if (!(isBrief && each.isStored)) store(each);
    });
  }
  return script;
}

/** The stored code, which V8 must not see if it is damaged or of another source: V8 compares only the source's length. */
function readCode(file: string, sourceHash: Buffer): Buffer | undefined {
  try {
    const stored = readFileSync(file);
    const code = stored.subarray(HASH_BYTES);
    return hashOf(sourceHash, code).equals(stored.subarray(0, HASH_BYTES)) ? code : undefined;
  } catch {
    // There is none.
    return undefined;
  }
}

/** SHA-1: every command loads Node's `crypto` anyway, but not all load `zlib` with its CRC-32. */
function hashOf(...parts: readonly Buffer[]): Buffer {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Stores the code of all scripts without stopping other work for longer than one of them takes, and deletes old code. */
async function storeInTurn(scripts: readonly CachedScript[]): Promise<void> {
  for (const each of scripts) {
    store(each);
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const folder of new Set(scripts.map(({ file }) => dirname(file)))) removeOldCode(folder);
}

/** Stores what has been compiled of a script so far, if that is more than is stored. */
function store({ script, file, sourceHash, isStored }: CachedScript): void {
  try {
    const code = script.createCachedData();
    const { size = 0 } = (isStored ? statSync(file, { throwIfNoEntry: false }) : undefined) ?? {};
    if (code.length > LARGER * size) writeFile(file, Buffer.concat([hashOf(sourceHash, code), code]));
  } catch {
    // Without stored code, the next start takes longer; nothing else depends on it.
  }
}

function writeFile(file: string, content: Buffer): void {
  const unfinished = `${file}.${process.pid}-${performance.now()}.partial`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(unfinished, content, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function removeOldCode(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
    }
  } catch {
    // Another process deletes the same files, or there is no folder.
  }
}
