import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { accessSuite } from './browser-test/access.ts';
import { answersSuite } from './browser-test/answers.ts';
import { apiSuite } from './browser-test/api.ts';
import { appSuite } from './browser-test/app.ts';
import { askSuite } from './browser-test/ask.ts';
import { besideSuite } from './browser-test/beside.ts';
import { chooseSuites, readPart } from './browser-test/choose-suites.ts';
import { findChromium, startChromium } from './browser-test/chromium.ts';
import { forcedColorsSuite } from './browser-test/forced-colors.ts';
import { formatsSuite } from './browser-test/formats.ts';
import { graphSuite } from './browser-test/graph.ts';
import { hostileSuite } from './browser-test/hostile.ts';
import { keyboardSuite } from './browser-test/keyboard.ts';
import { librarySuite } from './browser-test/library.ts';
import { manySuite } from './browser-test/many.ts';
import { modelsSuite } from './browser-test/models.ts';
import { pdfQuotesSuite } from './browser-test/pdf-quotes.ts';
import { remoteSourcesSuite } from './browser-test/remote-sources.ts';
import { restartsSuite } from './browser-test/restarts.ts';
import { withServer } from './browser-test/server.ts';
import { signInSuite } from './browser-test/sign-in.ts';
import { longPdfSuite, sourceSuite } from './browser-test/source.ts';
import { sourcesSuite } from './browser-test/sources.ts';
import { streamsSuite } from './browser-test/streams.ts';
import { type BrowserSuite, type Counts, createTest, type SentRequest } from './browser-test/suite.ts';
import { tabsSuite } from './browser-test/tabs.ts';
import { untrustedSuite } from './browser-test/untrusted.ts';

const USAGE = `Opens the web page of a separate service in a real Chromium, and checks what it shows.

  npm run -s browser-test -- [options] [view…]

  --part K/N       the Kth of N parts of the views, which are of similar length, besides those that are named
  --report FILE    writes the counts as JSON
  --pdfs FOLDER    the PDFs that "pdf-quotes" quotes; default: test/fixtures/pdfs
  --sentences N    how many sentences of each; default: 4

Tests all views by default. CHROMIUM_PATH is the path of the browser if it is not found automatically.`;

/** Suites that run concurrently, each with its checks in sequence. They wait more than they compute. */
const LANES = 3;

/** One suite per view, each in its own file. The longest come first, so that parts have similar lengths. */
const suitesOf = (pdfQuotes: BrowserSuite): readonly BrowserSuite[] => [
  pdfQuotes,
  streamsSuite,
  sourceSuite,
  accessSuite,
  signInSuite,
  keyboardSuite,
  manySuite,
  hostileSuite,
  sourcesSuite,
  remoteSourcesSuite,
  untrustedSuite,
  tabsSuite,
  restartsSuite,
  answersSuite,
  askSuite,
  besideSuite,
  appSuite,
  graphSuite,
  formatsSuite,
  forcedColorsSuite,
  librarySuite,
  modelsSuite,
  longPdfSuite,
];

const options = {
  part: { type: 'string' },
  report: { type: 'string' },
  pdfs: { type: 'string' },
  sentences: { type: 'string', default: '4' },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const suites = suitesOf(pdfQuotesSuite({ folder: values.pdfs, sentences: Number(values.sentences) }));
  const unknown = positionals.filter((each) => !suites.some(({ name }) => name === each));
  const part = values.part === undefined ? undefined : readPart(values.part);
  if (values.help || unknown.length > 0 || part === null) {
    for (const name of unknown) console.error(`There is no view "${name}".`);
    if (part === null) console.error('--part expects two numbers, as in 2/5 for the second of five parts.');
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const chosen = chooseSuites(suites, positionals, part);
  const counts: Counts = { passed: 0, failed: 0 };
  try {
    await runSuites(chosen, counts);
  } catch (error) {
    counts.failed++;
    console.log(
      `FAILED: the test itself was interrupted by an error\n  ${error instanceof Error ? error.stack : String(error)}`,
    );
  }
  if (values.report !== undefined) {
    await writeFile(values.report, JSON.stringify({ numPassedTests: counts.passed, numFailedTests: counts.failed }));
  }
  console.log(`${counts.passed} checks passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

async function runSuites(chosen: readonly BrowserSuite[], counts: Counts): Promise<void> {
  const executable = findChromium(process.env['CHROMIUM_PATH']);
  if (executable === undefined) {
    throw new Error(
      'No Chromium was found. Install one (on Debian: apt-get install chromium), or name it in CHROMIUM_PATH.',
    );
  }
  await withServer({}, async ({ url }) => {
    const browser = await startChromium(executable);
    const requests: SentRequest[] = [];
    const waiting = chosen.filter((suite) => suite !== longPdfSuite);
    const run = async ({ name }: BrowserSuite, work: BrowserSuite['run'], sent = requests) => {
      const startedAt = performance.now();
      await work(createTest({ url, browser, counts, requests: sent, suite: name }));
      console.log(`          ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    };
    const runOneByOne = async () => {
      for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
        // The requests of the app suite come from an MCP Apps host, not from the page, so they are not collected.
        await run(suite, suite.run, suite === appSuite ? [] : requests);
      }
    };
    try {
      const isLong = chosen.includes(longPdfSuite);
      const prepared = isLong ? run(longPdfSuite, longPdfSuite.prepare) : undefined;
      await Promise.all([prepared, ...Array.from({ length: LANES }, runOneByOne)]);
      if (isLong) await run(longPdfSuite, longPdfSuite.run);
      if (chosen.some((suite) => suite !== appSuite)) {
        await run(apiSuite, apiSuite.run);
      }
    } finally {
      await browser.close();
    }
  });
}

await main();
