import './build-first.js';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { texts } from '../src/page/app/texts.ts';
import { findChromium, startChromium } from './browser-test/chromium.ts';
import { startPageModel } from './browser-test/page-model.ts';
import { answerWithAllVerdicts, SAMPLE_QUESTION } from './browser-test/sample-answer.ts';
import { startServer, withFolder } from './browser-test/server.ts';
import { type BrowserTest, createTest } from './browser-test/suite.ts';

// Takes the screenshots for docs/page.md: each view of the page with scripts/samples as documents, in both themes.

const SAMPLES = fileURLToPath(new URL('samples/', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../src/cli/citewell.js', import.meta.url));
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const VIEWPORT = { width: 1040, height: 620 };
/** Browser flags for WebGL without a graphics card. */
const DRAWING = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

interface Picture {
  readonly name: string;
  readonly path: string;
  /** Opens what the picture shows and waits until it is visible. */
  readonly open: (page: Page) => Promise<unknown>;
}

interface Service {
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  /** A folder that the service is allowed to follow. */
  readonly papers: string;
}

interface Addresses {
  /** Path of the report's view with a sentence marked. */
  readonly report: string;
  /** Path of a document with two versions. */
  readonly changed: string;
}

const pictures = ({ report, changed }: Addresses): readonly Picture[] => [
  {
    name: 'ask',
    path: `/?ask=${encodeURIComponent(SAMPLE_QUESTION)}`,
    open: (page) => page.locator('.chip.not_found').waitFor(),
  },
  {
    name: 'ask-source',
    path: `/?ask=${encodeURIComponent(SAMPLE_QUESTION)}`,
    async open(page) {
      await page.locator('.chip.verbatim').first().click();
      await page.locator('.source-side mark').first().waitFor();
      await page.evaluate('scrollTo(0, 0)');
    },
  },
  { name: 'source', path: report, open: (page) => page.locator('.pdf-marks i').first().waitFor() },
  {
    name: 'versions',
    path: `${changed}?tab=versions`,
    open: (page) => page.locator('.source-difference ins').first().waitFor(),
  },
  { name: 'search', path: '/search?q=life+rafts', open: (page) => page.locator('.hit').first().waitFor() },
  { name: 'library', path: '/library', open: (page) => page.locator('.documents tbody tr').first().waitFor() },
  { name: 'graph', path: '/graph?name=Havdis', open: (page) => page.locator('.graph-panel').waitFor() },
  { name: 'quality', path: '/quality', open: (page) => page.locator('main table').first().waitFor() },
  {
    name: 'settings',
    path: '/settings',
    open: (page) => page.getByRole('heading', { name: 'Users' }).waitFor(),
  },
  {
    name: 'users',
    path: '/settings',
    open: (page) => page.getByRole('heading', { name: 'Users' }).scrollIntoViewIfNeeded(),
  },
];

async function takePictures(browser: Browser, { url, folder, papers }: Service): Promise<void> {
  const test = createTest({ url, browser, counts: { passed: 0, failed: 0 }, suite: '', requests: [] });
  let report = '';
  for (const name of await readdir(SAMPLES)) {
    if (name === 'README.md') continue;
    const id = await test.ingest(SAMPLES + name);
    if (name.endsWith('.pdf')) report = await addressOf(url, id, 'Two man-overboard drills were held with each crew.');
  }
  const changed = `/d/${await addVersions(test, papers)}`;
  await evaluate(folder);
  await prepareService(url);
  for (const { name, path, open } of pictures({ report, changed })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await forgetConversations(url);
      const context = await browser.newContext({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(url + path);
      await open(page);
      // On a slow machine, the network can be idle before the page has requested everything.
      await page.getByText(texts.loading).filter({ visible: true }).first().waitFor({ state: 'hidden' });
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `${IMAGES}${name}-${colorScheme}.png` });
      await context.close();
      console.log(`docs/images/${name}-${colorScheme}.png`);
    }
  }
}

async function forgetConversations(url: string): Promise<void> {
  const response = await fetch(`${url}/v3/conversations`);
  const { results } = (await response.json()) as { readonly results: readonly { readonly id: string }[] };
  for (const { id } of results) await fetch(`${url}/v3/conversations/${id}`, { method: 'DELETE' });
}

/** Ingests a document through a followed folder, then a second version of it; returns the document id. */
async function addVersions(test: BrowserTest, papers: string): Promise<string> {
  const text = await readFile(`${SAMPLES}handbook.md`, 'utf8');
  const write = (words: string) => writeFile(join(papers, 'crew-handbook.md'), words.replace('handbook', 'guide'));
  await write(text);
  const { id } = await post<{ readonly id: string }>(`${test.url}/v3/sources`, { kind: 'folder', path: papers });
  const counted = async (kind: string): Promise<void> => {
    type Source = { readonly last_sync: { readonly counts: Readonly<Record<string, number>> } | null };
    while (((await test.get<Source>(`/sources/${id}`)).last_sync?.counts[kind] ?? 0) === 0) await sleep(200);
  };
  await counted('ingested');
  await write(text.replaceAll(/\btwo (?=passenger|minutes)/g, 'three '));
  await counted('replaced');
  type Documents = readonly { readonly id: string; readonly version: string }[];
  const documents = await test.get<Documents>('/documents?limit=100');
  return documents.find(({ version }) => version === 'v1')?.id ?? '';
}

/** Creates the communities, user and API key that the graph and settings views show. */
async function prepareService(url: string): Promise<void> {
  const { results } = (await (await fetch(`${url}/v3/collections`)).json()) as { results: readonly { id: string }[] };
  for (const { id } of results) await post(`${url}/v3/graphs/${id}/communities/build`, {});
  const user = await post<{ readonly id: string }>(`${url}/v3/users`, {
    email: 'mate@example.org',
    password: 'Lanterns-and-tides-1',
  });
  if (user.id === '') throw new Error('No user was created.');
  const me = (await (await fetch(`${url}/v3/users/me`)).json()) as { results: { id: string } };
  await post(`${url}/v3/users/${me.results.id}/api-keys`, { name: 'Bridge computer' });
}

async function post<T>(address: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { readonly results: T }).results;
}

/** Path of the source view with this sentence marked. */
async function addressOf(url: string, id: string, sentence: string): Promise<string> {
  const response = await fetch(`${url}/v3/documents/${id}/text`);
  const { results } = (await response.json()) as { readonly results: { readonly text: string } };
  const start = results.text.indexOf(sentence);
  return `/d/${id}?q=${start}-${start + sentence.length}`;
}

/** Runs two evaluations on the command line, so that the view can compare them. */
async function evaluate(folder: string): Promise<void> {
  const file = join(folder, 'questions.csv');
  const questions = [
    'Who checks the life rafts?,handbook.md',
    'How many passengers travelled in 2024?,annual-report-2024.pdf',
    'Where do dogs travel?,handbook.md',
    'What does the lighthouse keeper eat?,handbook.md',
  ];
  await writeFile(file, `question,document\n${questions.join('\n')}\n`);
  // Semantic search, then the default mode, so that the results differ.
  for (const more of [['--mode', 'semantic'], []]) {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], CITEWELL_DATA_DIR: folder };
    await promisify(execFile)(process.execPath, [PROGRAM, 'eval', file, ...more], { cwd: folder, env });
  }
}

const executable = findChromium(process.env['CHROMIUM_PATH']);
if (executable === undefined) throw new Error('No Chromium was found. Name one in CHROMIUM_PATH.');
await mkdir(IMAGES, { recursive: true });
const browser = await startChromium(executable, DRAWING);
const model = await startPageModel();
model.answers(answerWithAllVerdicts);
try {
  await withFolder((folder) =>
    withFolder(async (papers) => {
      const server = await startServer(folder, { ...model.settings, CITEWELL_ALLOW_FOLDERS: papers });
      try {
        await takePictures(browser, { url: server.url, folder, papers });
      } finally {
        await server.stop();
      }
    }),
  );
} finally {
  await model.close();
  await browser.close();
}
