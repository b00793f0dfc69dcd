#!/usr/bin/env node
// Plain JavaScript that old Node versions can parse, so that they print what is needed instead of a syntax error.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { env } from 'node:process';
import v8 from 'node:v8';

const REQUIRED = 24;
// Before Node 26, V8 can free a WebAssembly wrapper shared between threads twice, which ends the process.
const HAS_SAFE_WASM_CODE_GC = 26;
const version = Number(process.versions.node.split('.')[0]);

if (version < REQUIRED) {
  process.stderr.write(
    `citewell needs Node ${REQUIRED} or newer, and this is ${process.version} (${process.execPath}).\n` +
      'In a checkout, "npm start" and "npm run -s cli -- <command>" use the Node that npm installed beside it.\n' +
      'Otherwise install a newer one from https://nodejs.org.\n',
  );
  process.exitCode = 1;
} else {
  if (version < HAS_SAFE_WASM_CODE_GC) v8.setFlagsFromString('--no-wasm-code-gc');
  const { folder: own, ending } = await findCompiled();
  const load = (name) => import(new URL(`${name}.${ending}`, own).href);
  // The compile cache cuts load time to a third, which MCP hosts notice. It is not in Node's default folder, which all
  // users of the machine can write to, since cached code is executed.
  const { privateFolderProblem, userCacheFolder } = await load('../user-cache');
  const folder = userCacheFolder(env);
  if (folder !== undefined && privateFolderProblem(folder) === undefined)
    module.enableCompileCache?.(join(folder, 'compiled'));
  const { main } = await load('./main');
  await main(process);
}

/**
 * The folder of the compiled program. In a checkout this is `dist`, compiled again when a source has changed; without a
 * compiler (as after `npm ci --omit=dev`) and without `dist`, Node runs the TypeScript.
 */
async function findCompiled() {
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
