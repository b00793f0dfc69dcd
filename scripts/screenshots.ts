import './build-first.js';
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { findChromium, startChromium } from './browser-test/chromium.ts';
import { startPageModel } from './browser-test/page-model.ts';
import { answerWithAllVerdicts, SAMPLE_QUESTION } from './browser-test/sample-answer.ts';
import { startServer, withFolder } from './browser-test/server.ts';
import { createTest } from './browser-test/suite.ts';

// Writes the images of docs/page.md: each view of the page over scripts/samples, in both themes.

const SAMPLES = fileURLToPath(new URL('samples/', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../src/cli/citewell.js', import.meta.url));
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const VIEWPORT = { width: 1040, height: 620 };
/** Draws WebGL without a graphics card. */
const DRAWING = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

interface Picture {
  readonly name: string;
  readonly path: string;
  /** Waits until everything is shown. */
  readonly open: (page: Page) => Promise<unknown>;
}

const pictures = (report: string): readonly Picture[] => [
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
  { name: 'search', path: '/search?q=life+rafts', open: (page) => page.locator('.hit').first().waitFor() },
  { name: 'library', path: '/library', open: (page) => page.locator('.documents tbody tr').first().waitFor() },
  { name: 'graph', path: '/graph?name=Havdis', open: (page) => page.locator('.graph-panel').waitFor() },
  { name: 'quality', path: '/quality', open: (page) => page.locator('main table').first().waitFor() },
  {
    name: 'settings',
    path: '/settings',
    open: (page) => page.getByRole('heading', { name: 'Users' }).waitFor(),
  },
];

async function takePictures(browser: Browser, url: string, folder: string): Promise<void> {
  const test = createTest({ url, browser, counts: { passed: 0, failed: 0 }, suite: '', requests: [] });
  let report = '';
  for (const name of await readdir(SAMPLES)) {
    if (name === 'README.md') continue;
    const id = await test.ingest(SAMPLES + name);
    if (name.endsWith('.pdf')) report = await addressOf(url, id, 'Two man-overboard drills were held with each crew.');
  }
  await evaluate(folder);
  for (const { name, path, open } of pictures(report)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await forgetConversations(url);
      const context = await browser.newContext({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(url + path);
      await open(page);
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

/** The source view with this sentence marked. */
async function addressOf(url: string, id: string, sentence: string): Promise<string> {
  const response = await fetch(`${url}/v3/documents/${id}/text`);
  const { results } = (await response.json()) as { readonly results: { readonly text: string } };
  const start = results.text.indexOf(sentence);
  return `/d/${id}?q=${start}-${start + sentence.length}`;
}

/** Two evaluations with the command line, so that the view compares them. */
async function evaluate(folder: string): Promise<void> {
  const file = join(folder, 'questions.csv');
  const questions = [
    'Who checks the life rafts?,handbook.md',
    'How many passengers travelled in 2024?,annual-report-2024.pdf',
    'Where do dogs travel?,handbook.md',
    'What does the lighthouse keeper eat?,handbook.md',
  ];
  await writeFile(file, `question,document\n${questions.join('\n')}\n`);
  for (let run = 0; run < 2; run++) {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], CITEWELL_DATA_DIR: folder };
    await promisify(execFile)(process.execPath, [PROGRAM, 'eval', file], { cwd: folder, env });
  }
}

const executable = findChromium(process.env['CHROMIUM_PATH']);
if (executable === undefined) throw new Error('No Chromium was found. Name one in CHROMIUM_PATH.');
await mkdir(IMAGES, { recursive: true });
const browser = await startChromium(executable, DRAWING);
const model = await startPageModel();
model.answers(answerWithAllVerdicts);
try {
  await withFolder(async (folder) => {
    const server = await startServer(folder, model.settings);
    try {
      await takePictures(browser, server.url, folder);
    } finally {
      await server.stop();
    }
  });
} finally {
  await model.close();
  await browser.close();
}
