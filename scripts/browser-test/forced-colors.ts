import type { Locator, Page } from 'playwright-core';
import { sample } from './sample.ts';
import { type BrowserSuite, holds, same } from './suite.ts';

const backgroundOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`);

/** With the user's own colours in place of those of the page, what is chosen and what is quoted still stand out. */
export const forcedColorsSuite: BrowserSuite = {
  name: 'forced-colors',
  async run(test) {
    await test.ingest(sample('handbook.md'));
    const check = (title: string, path: string, run: (page: Page) => Promise<void>) =>
      test.check(
        `forced colours: ${title}`,
        async (page) => {
          await page.goto(test.url + path);
          await run(page);
        },
        { forcedColors: 'active' },
      );
    const differ = async (page: Page, ready: Locator, chosen: string, other: string) => {
      await ready.first().waitFor();
      const colours = [await backgroundOf(page, chosen), await backgroundOf(page, other)];
      holds(colours[0] !== colours[1], `${chosen} differs from ${other} (${colours.join()})`);
    };
    await check('the kind of answer', '/', (page) =>
      differ(page, page.getByLabel('Question'), '.kinds :checked + span', '.kinds :not(:checked) + span'),
    );
    await check('the view in the navigation', '/', (page) =>
      differ(page, page.getByLabel('Question'), '.bar a[aria-current]', '.bar li a:not([aria-current])'),
    );
    await check('the form of the graph', '/graph', (page) =>
      differ(page, page.getByRole('button', { name: 'Table' }), '[aria-pressed=true]', '[aria-pressed=false]'),
    );
    await check('the quote and the tab of a source', '/?ask=Who+checks+the+life+rafts%3F', async (page) => {
      await page.getByRole('button', { name: 'Open the source' }).first().click();
      const quote = page.locator('.source-text mark');
      await differ(page, quote, '.source-text mark', '.source-text');
      await differ(page, quote, '[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]');
      same(await page.getByRole('tab', { selected: true }).count(), 1, 'the number of chosen tabs');
    });
  },
};
