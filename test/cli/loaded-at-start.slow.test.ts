import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENT } from '../support/patience.ts';
import { startCitewell } from '../support/run-citewell.ts';
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

/** Parts of the bundled program that consist of such a package: of OpenAI and of Anthropic. */
const LAZY_PARTS = ['openai', 'sdk'];

it('a server starts without the client of Chroma, the SDKs of models and sources, and the readers of files', async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'loaded.txt');
  const hook = pathToFileURL(join(import.meta.dirname, '..', 'support', 'report-loaded.ts')).href;
  const server = await startCitewell({
    cwd,
    startWithinMs: PATIENT.timeout,
    env: {
      NODE_OPTIONS: `--no-warnings --import=${hook}`,
      LOADED_MODULES: file,
      ANTHROPIC_API_KEY: 'key',
      CITEWELL_MODEL: 'anthropic/claude-sonnet-4-5',
    },
  });
  onTestFinished(server.kill);
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith(`${server.pid} `));
  const readyAt = lines.indexOf(`${server.pid} ready`);
  expect(readyAt).toBeGreaterThan(0);
  const ofPattern = (names: readonly string[], pattern: RegExp) =>
    new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []));
  const before = lines.slice(0, readyAt);
  const loaded = ofPattern(before, /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/.+\.[cm]?js$/);
  // The report has the packages that a server needs.
  expect(loaded).toContain('iconv-lite');
  const parts = ofPattern(before, /\/dist\/program\/(.+)-[\w-]{8}\.cjs$/);
  expect(parts).toContain('open-server');
  const built = ofPattern(await readdir(new URL('../../dist/program', import.meta.url)), /^(.+)-[\w-]{8}\.cjs$/);
  expect(LAZY_PARTS.filter((name) => !built.has(name) || parts.has(name))).toEqual([]);
  const { dependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const lazy = Object.values(LAZY).flat();
  expect(lazy.filter((name) => !(name in dependencies))).toEqual([]);
  expect(lazy.filter((name) => loaded.has(name))).toEqual([]);
});
