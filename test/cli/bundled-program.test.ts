import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../dist/program/', import.meta.url));

it('has all characters beyond ASCII as escapes, so that V8 keeps its source in one byte for each character', async () => {
  const names = (await readdir(PROGRAM)).filter((name) => name.endsWith('.js'));
  const sources = await Promise.all(names.map((name) => readFile(join(PROGRAM, name), 'utf8')));
  const others = names.filter((_, at) => /[^\0-\x7f]/.test(sources[at] ?? ''));
  expect(others).toEqual([]);
  // There are such characters, as in the messages of the command line.
  expect(sources.some((source) => source.includes('\\u2026'))).toBe(true);
});

it('contains the modules of the database threads, which the file that starts them imports', async () => {
  const entry = new URL('../../dist/src/store/sql/sqlite/sqlite-worker.js', import.meta.url);
  const [, name = ''] = /^import '\.\.\/\.\.\/\.\.\/\.\.\/program\/(.+)';\n$/.exec(await readFile(entry, 'utf8')) ?? [];
  const bundled = await readFile(join(PROGRAM, name), 'utf8');
  // Packages are not bundled, except for those that the program shares.
  const imported = [...bundled.matchAll(/^import .*?from "([^"]+)";$/gm)].map(([, from]) => from);
  expect(imported).toEqual(['stemmer']);
});
