import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { AxeResults } from 'axe-core';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const BUILT = new URL('../../dist/page/', import.meta.url);
const MAX_FIRST_LOAD = 90 * 1024;
const VIEWS = ['/', '/search?q=ferry', '/library', '/graph', '/quality', '/settings'];

/** Accessibility of every view in both colour schemes, and the size of the first load. */
export const accessSuite: BrowserSuite = {
  name: 'access',
  async run(test) {
    const id = await test.ingest(fileURLToPath(new URL('../samples/handbook.md', import.meta.url)));
    for (const path of [...VIEWS, `/d/${id}?q=30-134`]) {
      for (const scheme of ['light', 'dark'] as const)
        await checkView(test, path.replace(id, '…'), test.url + path, scheme);
    }
    await checkSize(test);
  },
};

async function checkView(test: BrowserTest, name: string, address: string, scheme: 'light' | 'dark'): Promise<void> {
  await test.check(
    `${name} has no violation of WCAG 2 A and AA in ${scheme} colours`,
    async (page) => {
      await page.goto(address, { waitUntil: 'networkidle' });
      await page.locator('main h1, main h2, main form').first().waitFor();
      await page.evaluate(await readFile(AXE, 'utf8'));
      const { violations } = (await page.evaluate(
        "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa'] })",
      )) as AxeResults;
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
      same(found.join('\n    '), '', 'the violations');
    },
    // axe is injected, because the content security policy forbids scripts from elsewhere.
    { colorScheme: scheme, reducedMotion: 'reduce', bypassCSP: true },
  );
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
