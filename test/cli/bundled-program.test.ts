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

it('contains the modules and packages of the database threads, which the file that starts them imports', async () => {
  const entry = new URL('../../dist/src/store/sql/sqlite/sqlite-worker.js', import.meta.url);
  const [, name = ''] = /^import '\.\.\/\.\.\/\.\.\/\.\.\/program\/(.+)';\n$/.exec(await readFile(entry, 'utf8')) ?? [];
  const bundled = await readFile(join(PROGRAM, name), 'utf8');
  const imported = importedBy(bundled);
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((from) => !from.startsWith('./'))).toEqual([]);
});

it('contains a package once that npm installed in several places', async () => {
  const sources = new Map<string, string>();
  for (const names = ['main.js']; ; ) {
    const name = names.pop();
    if (name === undefined) break;
    if (sources.has(name)) continue;
    const source = await readFile(join(PROGRAM, name), 'utf8');
    sources.set(name, source);
    names.push(...importedBy(source).flatMap((from) => /^\.\/(.+)/.exec(from)?.[1] ?? []));
  }
  // Express, and each of its dependencies accepts, send and type-is, bring the table of MIME types.
  const holders = [...sources].filter(([, source]) => source.includes('"application/1d-interleaved-parityfec"'));
  const tables = holders.map(([, source]) => source.split('"application/1d-interleaved-parityfec"').length - 1);
  expect(tables).toEqual([1]);
});

/** What a bundled module imports, statically or not. */
function importedBy(source: string): string[] {
  const imports = source.matchAll(/^(?:im|ex)port (?:.*?from )?"([^"]+)";$|\bimport\("([^"]+)"\)/gm);
  return [...imports].map(([, statically, dynamically]) => statically ?? dynamically ?? '');
}
