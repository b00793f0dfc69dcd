import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENT } from '../support/patience.ts';
import { CACHES, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Packages that take time and memory to load, and that only some of the work of a server needs. */
const LAZY = {
  index: ['chromadb'],
  models: ['wink-nlp'],
  sources: ['@notionhq/client', 'imapflow'],
  readers: [
    'cheerio',
    'csv-parse',
    'file-type',
    'htmlparser2',
    'mammoth',
    'mdast-util-from-markdown',
    'numfmt',
    'unpdf',
  ],
  pictures: ['7z-wasm', 'bmp-ts', 'libheif-js', 'tiff', 'utif2'],
};

/** A part of the bundled program, with its name. */
const PART = /\/dist\/program\/(.+)-[\w-]{8}\.cjs$/;

/** Parts of the bundled program that consist of such a package: of OpenAI and of Anthropic. */
const LAZY_PARTS = ['openai', 'sdk'];

it('a server starts without the client of Chroma, the SDKs of models and sources, and the readers of files', async () => {
  const { server, linesOf } = await startReporting({
    ANTHROPIC_API_KEY: 'key',
    CITEWELL_MODEL: 'anthropic/claude-sonnet-4-5',
  });
  const lines = await linesOf();
  const readyAt = lines.indexOf(`${server.pid} ready`);
  expect(readyAt).toBeGreaterThan(0);
  const ofPattern = (names: readonly string[], pattern: RegExp) =>
    new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []));
  const before = lines.slice(0, readyAt);
  const loaded = ofPattern(before, /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/.+\.[cm]?js$/);
  // The report has the packages that a server needs.
  expect(loaded).toContain('iconv-lite');
  const parts = ofPattern(before, PART);
  expect(parts).toContain('open-server');
  const built = ofPattern(await readdir(new URL('../../dist/program', import.meta.url)), /^(.+)-[\w-]{8}\.cjs$/);
  expect(LAZY_PARTS.filter((name) => !built.has(name) || parts.has(name))).toEqual([]);
  const { dependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const lazy = Object.values(LAZY).flat();
  expect(lazy.filter((name) => !(name in dependencies))).toEqual([]);
  expect(lazy.filter((name) => loaded.has(name))).toEqual([]);

  // The routes follow without a request.
  const routes = ['v1-routes', 'v3-routes'];
  expect(routes.filter((name) => parts.has(name))).toEqual([]);
  const routesLoaded = async () => {
    const now = ofPattern(await linesOf(), PART);
    return routes.filter((name) => now.has(name));
  };
  await expect.poll(routesLoaded, PATIENT).toEqual(routes);
});

it('the threads of the database use the code that those of an earlier server have stored', async () => {
  const entry = new URL('../../dist/src/store/sql/sqlite/sqlite-worker.js', import.meta.url);
  const [, chunk = ''] = /\.load\('(.+)'\);\n$/.exec(await readFile(entry, 'utf8')) ?? [];
  const earlier = await startReporting();
  const namesStored = () => readdir(join(CACHES, 'citewell', 'bundle')).catch(() => []);
  await expect.poll(async () => (await namesStored()).some((name) => name.startsWith(`${chunk}-`)), PATIENT).toBe(true);
  await earlier.server.end('SIGTERM');
  const { linesOf } = await startReporting();
  const ofThreads = (await linesOf()).filter((line) => line.endsWith(`/dist/program/${chunk}`));
  const stored = ofThreads.filter((line) => line.includes(' stored '));
  expect(stored.length).toBeGreaterThan(0);
  expect(ofThreads).toHaveLength(2 * stored.length);
});

/** Starts a server that reports what it loads; `linesOf` are the lines of its report up to now. */
async function startReporting(env: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'loaded.txt');
  const hook = pathToFileURL(join(import.meta.dirname, '..', 'support', 'report-loaded.ts')).href;
  const server = await startCitewell({
    cwd,
    startWithinMs: PATIENT.timeout,
    env: { NODE_OPTIONS: `--no-warnings --import=${hook}`, LOADED_MODULES: file, ...env },
  });
  onTestFinished(server.kill);
  const linesOf = async () =>
    (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith(`${server.pid} `));
  return { server, linesOf };
}
