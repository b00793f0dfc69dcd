import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openBundle } from '../src/bundle-loader.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const LOADER = new URL('../dist/src/bundle-loader.js', import.meta.url).href;
// The function runs, so that the code cache contains it.
const CHUNK = "function double(value) { return 2 * value; }\nexports.text = 'twice two is ' + double(2);\n";

const run = promisify(execFile);

/** A folder with a bundle of one chunk, and processes that load it with a code cache. */
async function bundleWithCache(chunk = CHUNK) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'chunk.cjs'), chunk);
  const cache = join(folder, 'cache', 'bundle');
  /** What a process prints that loads the chunk and then runs the statement, in which `chunk` is what it exports. */
  const load = async (statement = 'console.log(chunk.text)', before = '') => {
    const program = `
      import { openBundle, useCodeCache } from ${JSON.stringify(LOADER)};
      ${before};
      useCodeCache(${JSON.stringify(cache)});
      const chunk = openBundle(${JSON.stringify(folder)}).load('chunk.cjs');
      ${statement};`;
    return (await run(process.execPath, ['--input-type=module', '--eval', program])).stdout;
  };
  const cachedFile = async () => join(cache, (await readdir(cache))[0] ?? '');
  return { folder, cache, load, cachedFile };
}

it('runs a chunk once, with what it requires from the bundle, from Node and from installed packages', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'counter.cjs'), 'exports.loads = (globalThis.loadsInTest ?? 0) + 1;');
  const chunk = `
    exports.same = require('./counter.cjs') === require('./counter.cjs');
    exports.separator = require('node:path').sep;
    exports.isStrict = this === undefined;
    exports.filename = __filename;
    exports.imported = importModule('zod').then(({ z }) => z.string().parse('text'));`;
  await writeFile(join(folder, 'chunk.cjs'), chunk);
  const bundle = openBundle(folder);
  const exports = bundle.load('chunk.cjs') as Readonly<Record<string, unknown>>;
  expect(exports).toMatchObject({ same: true, separator: join('/'), filename: join(folder, 'chunk.cjs') });
  expect(await exports['imported']).toBe('text');
  expect(bundle.load('chunk.cjs')).toBe(exports);
  expect(() => bundle.load('missing.cjs')).toThrow(/ENOENT.*missing\.cjs/);
});

it('runs a chunk again after it has failed', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'chunk.cjs'), "exports.early = 1; exports.text = require('./missing.cjs').text;");
  const bundle = openBundle(folder);
  expect(() => bundle.load('chunk.cjs')).toThrow(/ENOENT/);
  await writeFile(join(folder, 'missing.cjs'), "exports.text = 'found';");
  expect(bundle.load('chunk.cjs')).toEqual({ early: 1, text: 'found' });
});

it('reports errors with the lines and columns of the chunk', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'chunk.cjs'), "throw new Error('first line');");
  const error = (() => {
    try {
      return openBundle(folder).load('chunk.cjs');
    } catch (thrown) {
      return thrown;
    }
  })();
  expect((error as Error).stack).toContain(`${join(folder, 'chunk.cjs')}:1:7`);
});

it('stores the compiled code when the process ends, and uses it from then on', async () => {
  const { cache, load, cachedFile } = await bundleWithCache();
  expect(await load()).toBe('twice two is 4\n');
  expect(await readdir(cache)).toEqual([expect.stringMatching(/^chunk\.cjs-[0-9a-f]+$/)]);
  const { mtimeMs } = await stat(await cachedFile());
  expect((await readFile(await cachedFile())).length).toBeGreaterThan(500);
  expect(await load()).toBe('twice two is 4\n');
  expect((await stat(await cachedFile())).mtimeMs).toBe(mtimeMs);
});

it.each([
  ['is damaged', (code: Buffer) => Buffer.concat([code.subarray(0, 300), Buffer.from([1, 2, 3]), code.subarray(303)])],
  ['is cut off', (code: Buffer) => code.subarray(0, 200)],
  ['is empty', () => Buffer.alloc(0)],
])('compiles the source again when the stored code %s', async (_, damage) => {
  const { load, cachedFile } = await bundleWithCache();
  await load();
  const intact = await readFile(await cachedFile());
  await writeFile(await cachedFile(), damage(intact));
  expect(await load()).toBe('twice two is 4\n');
  expect((await readFile(await cachedFile())).length).toBe(intact.length);
  expect(await load()).toBe('twice two is 4\n');
});

it('adds what only a later process has compiled, if that ran for some seconds', async () => {
  const body = Array.from({ length: 200 }, (_, at) => `sum += value * ${at};`).join('\n');
  const chunk = `exports.sum = (value) => { let sum = 0;\n${body}\nreturn sum; };`;
  const { load, cachedFile } = await bundleWithCache(chunk);
  const storedBytes = async () => (await stat(await cachedFile())).size;
  const callAfter = (milliseconds: number) =>
    load(`performance.now = () => ${milliseconds}; console.log(chunk.sum(1))`);
  await load('');
  const small = await storedBytes();
  expect(await callAfter(100)).toBe('19900\n');
  expect(await storedBytes()).toBe(small);
  expect(await callAfter(3000)).toBe('19900\n');
  const large = await storedBytes();
  expect(large).toBeGreaterThan(small + 1000);
  expect(await callAfter(100)).toBe('19900\n');
  expect(await storedBytes()).toBe(large);
});

it('compiles a source that has changed, even to one of the same length', async () => {
  const { folder, load } = await bundleWithCache();
  await load();
  await writeFile(join(folder, 'chunk.cjs'), CHUNK.replace('2 * value', '3 * value'));
  expect(await load()).toBe('twice two is 6\n');
});

it('works without a folder that it can write to', async () => {
  const { cache, load } = await bundleWithCache();
  await mkdir(join(cache, '..'));
  await writeFile(cache, 'a file');
  expect(await load()).toBe('twice two is 4\n');
  expect(await readFile(cache, 'utf8')).toBe('a file');
});

it('stores the code once if several processes do so at the same time', async () => {
  const { cache, load, cachedFile } = await bundleWithCache();
  const outputs = await Promise.all(Array.from({ length: 6 }, () => load()));
  expect(new Set(outputs)).toEqual(new Set(['twice two is 4\n']));
  expect(await readdir(cache)).toEqual([expect.stringMatching(/^chunk\.cjs-[0-9a-f]+$/)]);
  const { mtimeMs } = await stat(await cachedFile());
  await load();
  expect((await stat(await cachedFile())).mtimeMs).toBe(mtimeMs);
});

it('stores code and deletes what was stored long ago after some seconds, whatever that belongs to', async () => {
  const { cache, load } = await bundleWithCache();
  await mkdir(cache, { recursive: true });
  for (const [name, days] of [
    ['earlier.cjs-1', 31],
    ['recent.cjs-1', 29],
  ] as const) {
    await writeFile(join(cache, name), '');
    const time = Date.now() / 1000 - days * 24 * 3600;
    await utimes(join(cache, name), time, time);
  }
  await load();
  expect((await readdir(cache)).sort()).toEqual([expect.stringMatching(/^chunk/), 'earlier.cjs-1', 'recent.cjs-1']);
  // The timer runs at once, and the process ends without the event at which it would store the code, too.
  const killed = load(
    'setTimeout(() => process.kill(process.pid, "SIGKILL"), 300)',
    `const { setTimeout } = globalThis;
     globalThis.setTimeout = (then, ms) => { console.log(ms); return setImmediate(then); }`,
  );
  await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL', stdout: '8000\n' });
  expect(await readdir(cache)).toEqual([expect.stringMatching(/^chunk/), 'recent.cjs-1']);
});
