import { fileURLToPath } from 'node:url';
import { type BrowserSuite, holds, same } from './suite.ts';

const sample = (name: string): string => fileURLToPath(new URL(`../samples/${name}`, import.meta.url));

/** Uploading, deleting and searching files, and the system status. */
export const librarySuite: BrowserSuite = {
  name: 'library',
  async run(test) {
    await test.check('a chosen file is uploaded, with progress until it is ready', async (page) => {
      await page.goto(`${test.url}/library`);
      await page.getByTestId('files').setInputFiles([sample('fares.csv')]);
      const line = page.locator('.upload').filter({ hasText: 'fares.csv' });
      await line.filter({ hasText: /Ready|in the library already/ }).waitFor();
      await page.locator('.documents').getByRole('link', { name: 'fares.csv' }).first().waitFor();
    });
    await test.check('a deletion shows its receipt', async (page) => {
      await test.ingestBytes('short-lived.md', '# Short lived\n\nNobody will miss this sentence.');
      await page.goto(`${test.url}/library?title=short`);
      await page.locator('.documents tbody input').first().check();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete for good' }).click();
      await page.locator('.receipt').waitFor();
      holds((await page.locator('.receipt').innerText()).includes('Documents'), 'the receipt names the document');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByText('No document matches.').waitFor();
    });
    await test.check('a passage that was searched for opens at its exact characters', async (page) => {
      await test.ingest(sample('handbook.md'));
      await page.goto(`${test.url}/search?q=life+rafts`);
      // Other suites add documents, whose originals may be shown instead of their text.
      await page.locator('.hit a').filter({ hasText: 'handbook' }).first().click();
      await page.locator('.source-text mark').first().waitFor();
      holds(/\/d\/[0-9a-f-]+\?q=\d+-\d+$/.test(page.url()), `${page.url()} names the characters`);
    });
    for (const view of ['library', 'search?q=ferry', 'settings', 'graph?as=table', 'quality']) {
      await test.check(
        `${view} fits a narrow screen`,
        async (page) => {
          await page.goto(`${test.url}/${view}`);
          await page.locator('main h1').waitFor();
          same(await page.evaluate('document.documentElement.scrollWidth'), 360, 'the width');
        },
        { viewport: { width: 360, height: 740 } },
      );
    }
  },
};
