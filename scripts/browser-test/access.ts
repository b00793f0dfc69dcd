import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { startPageModel } from './page-model.ts';
import { sample } from './sample.ts';
import { answerWithAllVerdicts, SAMPLE_QUESTION } from './sample-answer.ts';
import { withServer } from './server.ts';
import { emptyStates, filledStates, heading, type State } from './states.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';
import { smallTargets } from './touch-targets.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const BUILT = new URL('../../dist/page/', import.meta.url);
const MAX_FIRST_LOAD = 90 * 1024;
/** Rule sets that axe tests: WCAG 2.2 A and AA, and its own recommendations. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules for the second theme, since the themes differ only in colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const WIDTHS = [1280, 360] as const;

/** Accessibility of every view in both colour schemes and in narrow windows; the size of the first load. */
export const accessSuite: BrowserSuite = {
  name: 'access',
  async run(test) {
    const model = await startPageModel();
    try {
      await withServer({ ...model.settings, CITEWELL_GRAPH: 'on' }, async ({ url }) => {
        const own = test.at(url);
        for (const state of emptyStates) await checkState(own, state);
        const id = await own.ingest(sample('handbook.md'));
        await own.ingest(sample('annual-report-2024.pdf'));
        await own.ingest(sample('timetable.html'));
        model.answers(answerWithAllVerdicts);
        for (const state of filledStates(id, encodeURIComponent(SAMPLE_QUESTION))) await checkState(own, state);
        await checkMotion(own);
        await checkFirstLoad(own);
      });
      await withServer({ CITEWELL_AUTH: 'required' }, async ({ url }) => {
        const open = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await checkState(test.at(url), { name: 'the sign-in', path: '/', open });
      });
    } finally {
      await model.close();
    }
    await checkSize(test);
  },
};

async function checkState(test: BrowserTest, { name, path, open }: State): Promise<void> {
  for (const width of WIDTHS) {
    const isPhone = width < 600;
    await test.check(
      `${name}: axe finds nothing in either theme at ${width} px${isPhone ? ', and targets have the size of a finger' : ''}`,
      async (page) => {
        await page.goto(test.url + path);
        await open(page);
        await page.evaluate(await readFile(AXE, 'utf8'));
        const found: string[] = [];
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const rules = colorScheme === 'light' ? RULES : RULES_OF_COLOURS;
          const { violations, passes } = (await page.evaluate(
            `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
          )) as AxeResults;
          holds(passes.length > (colorScheme === 'light' ? 10 : 0), 'axe tested something');
          found.push(
            ...violations.flatMap(({ id, nodes }) =>
              nodes
                .filter(({ any }) => !isUnderComposer(path, id, any[0]?.message))
                .map(({ html, any }) => `${colorScheme} ${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
            ),
          );
        }
        same(found.join('\n    '), '', 'the violations');
        same(await page.evaluate('document.documentElement.scrollWidth'), width, 'the width of the page');
        if (isPhone) same((await smallTargets(page)).join('\n    '), '', 'the targets that are too small for a finger');
      },
      // axe is injected, because the content security policy forbids scripts from elsewhere.
      { reducedMotion: 'reduce', bypassCSP: true, hasTouch: isPhone, viewport: { width, height: 800 } },
    );
  }
}

/** The question box stays at the bottom of the window; what is partly below it can be scrolled from there. */
const isUnderComposer = (path: string, rule: string, message = ''): boolean =>
  path.startsWith('/?ask=') && rule === 'target-size' && message.includes('partially obscured');

async function checkMotion(test: BrowserTest): Promise<void> {
  const moving = `document.getAnimations().length + [...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
    return parseFloat(transitionDuration) > 0 || animationName !== 'none' || scrollBehavior === 'smooth';
  }).length`;
  for (const path of ['/', '/library', '/search?q=ferry', '/settings']) {
    await test.check(
      `nothing moves on ${path} for those who want no motion`,
      async (page) => {
        await page.goto(test.url + path);
        await heading(page);
        same(await page.evaluate(moving), 0, 'the number of moving elements');
      },
      { reducedMotion: 'reduce' },
    );
  }
}

/** Checks what the browser actually loads; other checks examine the references in the built files. */
async function checkFirstLoad(test: BrowserTest): Promise<void> {
  const heavy = /pdf|sigma|graphology|draw-graph|forceatlas/i;
  await test.check('the readers of PDF and graphs are loaded only by the views that need them', async (page) => {
    const loaded = new Map<string, number>();
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (!/\.(?:js|mjs|css)$/.test(pathname)) return;
      loaded.set(pathname, 0);
      // The body of a response is gone once its page has been left.
      const body = await response.body().catch(() => Buffer.alloc(0));
      loaded.set(pathname, gzipSync(body).length);
    });
    // Without the hash, which can contain any letters.
    const names = () => [...loaded.keys()].map((path) => path.replace(/-[\w-]{8}(?=\.\w+$)/, ''));
    const heavyOnes = () => names().filter((name) => heavy.test(name));
    await page.goto(test.url, { waitUntil: 'networkidle' });
    const total = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    console.log(`          ${total} bytes in ${loaded.size} requests`);
    holds(loaded.size > 1 && total < MAX_FIRST_LOAD, `${total} bytes are less than ${MAX_FIRST_LOAD}`);
    for (const path of ['/search?q=ferry', '/library', '/quality', '/settings']) {
      await page.goto(test.url + path, { waitUntil: 'networkidle' });
    }
    same(heavyOnes().join(), '', 'the heavy files loaded so far');
    const renderer = page.waitForResponse((response) => /draw-graph/.test(response.url()));
    await page.goto(`${test.url}/graph`);
    holds((await renderer).ok(), 'the graph loads its renderer');
    holds(!heavyOnes().some((path) => /pdf/i.test(path)), 'the graph loads no reader of PDF');
    const pdf = await test.ingest(sample('annual-report-2024.pdf'));
    await page.goto(`${test.url}/d/${pdf}`);
    await page.locator('.pdf-page').first().waitFor();
    holds(
      heavyOnes().some((path) => /pdf/i.test(path)),
      'a PDF loads its reader',
    );
  });
}

async function checkSize(test: BrowserTest): Promise<void> {
  await test.check(
    `scripts and styles of the first load are under ${MAX_FIRST_LOAD / 1024} KB compressed`,
    async () => {
      const html = await readFile(new URL('index.html', BUILT), 'utf8');
      const named = [...html.matchAll(/(?:src|href)="\/?([^"]+\.(?:js|css))"/g)].flatMap(([, path]) => path ?? []);
      holds(
        named.some((path) => path.endsWith('.js')),
        'the page names its script',
      );
      const sizes = await sizesOf(named.map((path) => new URL(path, BUILT).href));
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      console.log(`          ${total} bytes in ${sizes.size} files`);
      holds(total < MAX_FIRST_LOAD, `${total} bytes are less than ${MAX_FIRST_LOAD}`);
    },
  );
}

/** Compressed sizes of these files and of what they import statically. */
async function sizesOf(files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (sizes.has(file)) continue;
    const bytes = await readFile(new URL(file));
    sizes.set(file, gzipSync(bytes).length);
    if (!file.endsWith('.js')) continue;
    for (const [, path = ''] of bytes
      .toString()
      .matchAll(/(?:^|[;}\s])(?:import|export)\s*(?:[\w$*{},\s]*?\bfrom\s*)?["'](\.[^"']+)["']/g)) {
      waiting.push(new URL(path, file).href);
    }
  }
  return sizes;
}
