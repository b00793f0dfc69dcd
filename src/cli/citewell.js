#!/usr/bin/env node
// Plain JavaScript that old Node versions can parse, so that they report the required version, not a syntax error.

// Importing built-in modules, or `env` from node:process, would read all of their members, which takes memory.
const { env } = process;
const builtin = (name) => process.getBuiltinModule(`node:${name}`);
const REQUIRED = 24;
// Before Node 26, V8 can free a WebAssembly wrapper shared between threads twice, which ends the process.
const HAS_SAFE_WASM_CODE_GC = 26;
// V8 lets the young generation of each of the many threads grow to 48 MB; with a semi-space of 4 MB it stays below 12.
const SEMI_SPACE = '--max-semi-space-size=4';
const version = Number(process.versions.node.split('.')[0]);

if (version < REQUIRED) {
  process.stderr.write(
    `citewell needs Node ${REQUIRED} or newer, and this is ${process.version} (${process.execPath}).\n` +
      'In a checkout, "npm start" and "npm run -s cli -- <command>" use the Node that npm installed beside it.\n' +
      'Otherwise install a newer one from https://nodejs.org.\n',
  );
  process.exitCode = 1;
} else {
  const isMcp = process.argv[2] === 'mcp';
  if (!isMcp) prepareV8();
  const { folder: own, ending } = await findCompiled();
  const importOwn = (name) => import(new URL(`${name}.${ending}`, own).href);
  // The bundled program loads faster; without a bundler (as after `npm ci --omit=dev`) there is none.
  const bundled = builtin('url').fileURLToPath(new URL('../../program/', own));
  const isBundled = ending === 'js' && builtin('fs').existsSync(`${bundled}main.cjs`);
  const { openBundle, useCodeCache } = isBundled ? await importOwn('../bundle-loader') : {};
  const bundle = openBundle?.(bundled);
  const load = async (name) => bundle?.load(`${name}.cjs`) ?? importOwn(name);
  // Loaded first: if another process serves the data folder, nothing else is needed.
  const { attachMcp } = isMcp ? await load('attach-mcp') : {};
  const session = await attachMcp?.(process, env);
  if (session !== 'ended') {
    if (isMcp) prepareV8();
    // Cached code cuts load time to a third, which MCP hosts notice. It is not in Node's default folder, to which all
    // users of the machine can write, because cached code is executed.
    const { privateFolderProblem, userCacheFolder } = await importOwn('../user-cache');
    const folder = userCacheFolder(env);
    if (folder !== undefined && privateFolderProblem(folder) === undefined) {
      const { join } = builtin('path');
      builtin('module').enableCompileCache?.(join(folder, 'compiled'));
      useCodeCache?.(join(folder, 'bundle'));
    }
    const { main } = await load('main');
    await main(process, session);
  }
}

function prepareV8() {
  const v8 = builtin('v8');
  saveMemory(v8);
  if (version < HAS_SAFE_WASM_CODE_GC) v8.setFlagsFromString('--no-wasm-code-gc');
}

/**
 * Sets options that keep the process small (docs/performance.md) unless they are set already. The main thread's
 * semi-space and the number of malloc arenas are fixed when a process starts, so on Linux a server or worker
 * re-executes itself in the same process, which takes some 50 ms; other commands limit their threads only.
 */
function saveMemory(v8) {
  const isSemiSpaceGiven = /max[-_]semi[-_]space[-_]size/.test(
    `${process.execArgv.join(' ')} ${env.NODE_OPTIONS ?? ''}`,
  );
  if (!isSemiSpaceGiven) v8.setFlagsFromString(SEMI_SPACE);
  const isLongRunning = ['serve', 'worker'].some((command) => process.argv.slice(2).includes(command));
  if (process.platform !== 'linux' || !isLongRunning) return;
  if ((isSemiSpaceGiven && env.MALLOC_ARENA_MAX !== undefined) || process.channel) return;
  const flags = isSemiSpaceGiven ? process.execArgv : [...process.execArgv, SEMI_SPACE];
  const words = [process.argv0, ...flags, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, words, { MALLOC_ARENA_MAX: '2', ...env });
  } catch {
    // execve is not permitted or not supported. The options only save memory; nothing depends on them.
  }
}

/**
 * The folder of the compiled program. In a checkout this is `dist`, compiled again when a source has changed; without a
 * compiler (as after `npm ci --omit=dev`) and without `dist`, Node runs the TypeScript.
 */
async function findCompiled() {
  const { existsSync } = builtin('fs');
  const here = new URL('.', import.meta.url);
  if (!existsSync(new URL('./main.ts', here))) return { folder: here, ending: 'js' };
  const { buildIfStale } = await import(new URL('../../scripts/build.js', here).href);
  try {
    buildIfStale();
  } catch (error) {
    process.stderr.write(`citewell: ${error.message}\n`);
    process.exit(1);
  }
  const compiled = new URL('../../dist/src/cli/', here);
  return existsSync(new URL('./main.js', compiled))
    ? { folder: compiled, ending: 'js' }
    : { folder: here, ending: 'ts' };
}
