import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Tells the flags and, once, that a module of the program is loaded.
const SPY = `
import module from 'node:module';
import v8 from 'node:v8';
const set = v8.setFlagsFromString;
v8.setFlagsFromString = (flag) => {
  process.stderr.write('flag ' + flag + '\\n');
  set(flag);
};
let isTold = false;
module.registerHooks({
  load(url, context, next) {
    if (!isTold && url.endsWith('/dist/src/bundle-loader.js')) {
      isTold = true;
      process.stderr.write('program\\n');
    }
    return next(url, context);
  },
});`;

it('sets --no-wasm-code-gc where Node needs it, before any thread starts', async () => {
  const cwd = await temporaryFolder();
  const spy = join(cwd, 'spy.mjs');
  await writeFile(spy, SPY);
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(spy).href}` };
  const { code, stderr } = await runCitewell(['--version'], { cwd, env });
  expect(code).toBe(0);
  const lines = stderr.split('\n');
  expect(lines.at(-2)).toBe('program');
  const isNeeded = Number.parseInt(process.versions.node, 10) < 26;
  expect(lines.includes('flag --no-wasm-code-gc')).toBe(isNeeded);
});
