import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../../dist/program/', import.meta.url));

it('has all characters beyond ASCII as escapes, so that V8 keeps its source in one byte for each character', async () => {
  const names = (await readdir(PROGRAM)).filter((name) => name.endsWith('.cjs'));
  const sources = await Promise.all(names.map((name) => readFile(join(PROGRAM, name), 'utf8')));
  const others = names.filter((_, at) => /[^\0-\x7f]/.test(sources[at] ?? ''));
  expect(others).toEqual([]);
  // There are such characters, as in the messages of the command line.
  expect(sources.some((source) => source.includes('\\u2026'))).toBe(true);
});

it('contains the modules and packages of the database threads, which the file that starts them loads', async () => {
  const name = await entryOf('store/sql/sqlite/sqlite-worker.js');
  const imported = importedBy(await readFile(join(PROGRAM, name), 'utf8'));
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((from) => !from.startsWith('./') && !isBuiltin(from))).toEqual([]);
});

it('contains all modules of the processes that read documents, which load only packages besides', async () => {
  for (const file of ['preparation-process.js', 'preparation-worker.js']) {
    const sources = await chunksFrom(await entryOf(`ingest/${file}`));
    const others = [...sources.values()]
      .flatMap(importedBy)
      .filter((from) => !from.startsWith('./') && !isBuiltin(from));
    expect(others.filter((from) => /^[./]/.test(from))).toEqual([]);
  }
  // Parts that a plain text does not need, such as the readers of other formats, are chunks of their own.
  const worker = await chunksFrom(await entryOf('ingest/preparation-worker.js'));
  const [, reader = ''] = [...worker].find(([name]) => name.startsWith('text-')) ?? [];
  expect(reader).toContain('textReader');
  expect(importedBy(reader).filter((from) => !from.startsWith('./'))).toEqual([]);
});

it('contains a package once that npm installed in several places', async () => {
  const sources = await chunksFrom('main.cjs');
  // Express, and each of its dependencies accepts, send and type-is, bring the table of MIME types.
  const tables = sources
    .values()
    .map((source) => source.split('"application/1d-interleaved-parityfec"').length - 1)
    .filter((count) => count > 0);
  expect([...tables]).toEqual([1]);
});

it('has only chunks that can be loaded, whatever installed packages they require', async () => {
  const chunks = await chunksFrom('main.cjs');
  expect(chunks.size).toBeGreaterThan(100);
  const readers = await chunksFrom(await entryOf('ingest/preparation-worker.js'));
  expect(readers.size).toBeGreaterThan(30);
  // In a process of its own, because everything that the program consists of stays loaded.
  const loader = new URL('../../dist/src/bundle-loader.js', import.meta.url).href;
  const program = `
    import { openBundle } from ${JSON.stringify(loader)};
    const bundle = openBundle(${JSON.stringify(PROGRAM)});
    for (const name of ${JSON.stringify([...chunks.keys(), ...readers.keys()])}) bundle.load(name);
    console.log('loaded');
    process.exit();`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect({ stdout, stderr }).toEqual({ stdout: 'loaded\n', stderr: '' });
});

it('has no import() that its loader would not see', async () => {
  const names = (await readdir(PROGRAM)).filter((name) => name.endsWith('.cjs'));
  const sources = await Promise.all(names.map((name) => readFile(join(PROGRAM, name), 'utf8')));
  expect(names.filter((_, at) => /(?<![\w.'"`])import\(/.test(sources[at] ?? ''))).toEqual([]);
  expect(sources.some((source) => source.includes('importModule("undici")'))).toBe(true);
});

/** The chunk that a file of a thread or process loads. */
async function entryOf(path: string): Promise<string> {
  const source = await readFile(new URL(`../../dist/src/${path}`, import.meta.url), 'utf8');
  const [, name = ''] = /\.load\('(.+)'\);\n$/.exec(source) ?? [];
  return name;
}

/** The sources of a chunk and of all that it loads at some time, by name. */
async function chunksFrom(entry: string): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const names = [entry]; ; ) {
    const name = names.pop();
    if (name === undefined) return sources;
    if (sources.has(name)) continue;
    const source = await readFile(join(PROGRAM, name), 'utf8');
    sources.set(name, source);
    names.push(...importedBy(source).flatMap((from) => /^\.\/(.+)/.exec(from)?.[1] ?? []));
  }
}

/** What a bundled chunk requires or imports. */
function importedBy(source: string): string[] {
  return [...source.matchAll(/\b(?:require|importModule)\("([^"]+)"\)/g)].map(([, name = '']) => name);
}
