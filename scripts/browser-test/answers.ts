import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { type PageModel, startPageModel } from './page-model.ts';
import { sample } from './sample.ts';
import { withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const QUESTION = 'Who checks the life rafts?';
/** None of it is in the documents, so that each row is marked as unsupported. */
const TABLE = [
  'The fares [1]:',
  '',
  '| Crossing | Grown-ups | Bicycles | Cars under six metres | Cars over six metres |',
  '|---|---:|---:|---:|---:|',
  '| Singleton by moonlight | 12.50 | 3.00 | 48.00 | 66.00 |',
  '| Returning by moonlight | 22.00 | 5.00 | 88.00 | 120.00 |',
].join('\n');

/** What a language model writes: tables, formulas, and the answer copied elsewhere. */
export const answersSuite: BrowserSuite = {
  name: 'answers',
  async run(test) {
    const model = await startPageModel();
    try {
      await withServer(model.settings, async ({ url }) => {
        const own = test.at(url);
        await own.ingestBytes('handbook.md', await readFile(sample('handbook.md')));
        await checkWaiting(own, model);
        await checkPause(own, model);
        await checkTable(own, model);
        await checkFormulas(own, model);
        await checkCopy(own, model);
        await checkCode(own, model);
        await checkHeadings(own, model);
      });
    } finally {
      await model.close();
    }
  },
};

const ask = (page: Page, test: BrowserTest) => page.goto(`${test.url}/?${new URLSearchParams({ ask: QUESTION })}`);

async function checkWaiting(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('while the model is awaited, the page says that passages were found', async (page) => {
    let proceed = () => {};
    const until = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    model.answers(() => ({ text: 'The mate [1].', pause: { after: 0, until } }));
    await ask(page, test);
    await page.getByText(/passages? (was|were) found\. Waiting for the model/).waitFor();
    proceed();
    await page.locator('[data-cite]').first().waitFor();
    same(await page.getByText('Waiting for the model').count(), 0, 'the notices after the answer');
  });
}

async function checkPause(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('while the provider of the model asks to wait, the page says how long', async (page) => {
    model.answers(() => ({ text: 'The mate [1].' }));
    model.asksToWait(6);
    await ask(page, test);
    await page
      .locator('.waiting')
      .filter({ hasText: /It is asked again in [3-6] seconds/ })
      .waitFor();
    await page
      .locator('.waiting')
      .filter({ hasText: /It is asked again in [12] seconds?/ })
      .waitFor();
    await page.locator('[data-cite]').first().waitFor();
    same(await page.locator('.waiting').count(), 0, 'the notices after the answer');
  });
}

async function checkTable(test: BrowserTest, model: PageModel): Promise<void> {
  for (const width of [1280, 360]) {
    await test.check(
      `a table stays a table of whole words when its rows are marked as unsupported, at ${width} px`,
      async (page) => {
        model.answers(() => ({ text: TABLE }));
        await ask(page, test);
        const table = page.locator('.answer-text table');
        await table.locator('tbody .unsupported-note').nth(1).waitFor();
        same(await table.locator('tr').count(), 3, 'the number of rows');
        same(await table.locator('thead th').count(), 5, 'the number of columns');
        same(await table.locator('thead .unsupported').count(), 0, 'the marks at the names of columns');
        same(await table.locator('tbody tr').first().locator('.unsupported').count(), 5, 'the marked cells of a row');
        const cell = table.getByRole('cell', { name: '12.50' });
        const box = await cell.boundingBox();
        holds(box !== null && box.width > 50, `a number stands on one line (${JSON.stringify(box)})`);
        const style = 'getComputedStyle(document.querySelector(".answer-text td:nth-child(2)"))';
        same(await page.evaluate(`${style}.textAlign`), 'right', 'the alignment of numbers');
        same(await page.evaluate('document.documentElement.scrollWidth'), width, 'the width of the page');
      },
      { viewport: { width, height: 740 } },
    );
  }
}

async function checkFormulas(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('formulas are drawn, and those that cannot be are shown as they were written', async (page) => {
    model.answers(() => ({
      text: 'It is $E = mc^2$ [1], and \\[\\frac{a_1}{b_1}\\] but not $\\strange{x}$. From $5 to $10.',
    }));
    await ask(page, test);
    await page.locator('.answer-footer').waitFor();
    await page.locator('.answer-text math').nth(1).waitFor();
    same(await page.locator('.answer-text math').count(), 2, 'the number of formulas');
    const fraction = await page.locator('.answer-text math[display=block] mfrac').boundingBox();
    const letter = await page.locator('.answer-text mfrac mi').first().boundingBox();
    holds(
      fraction !== null && letter !== null && fraction.height > 1.7 * letter.height,
      'the fraction is drawn as one above another',
    );
    same(await page.locator('.answer-text code').innerText(), '\\strange{x}', 'the formula that is not drawn');
    holds((await page.locator('.answer-text').innerText()).includes('From $5 to $10.'), 'sums of money stay');
  });
}

async function checkCopy(test: BrowserTest, model: PageModel): Promise<void> {
  for (const isSecure of [true, false]) {
    await test.check(
      `an answer is copied with its sources${isSecure ? '' : ', also where the browser has no clipboard for pages'}`,
      async (page) => {
        model.answers((passages) => ({ text: `The mate checks **four** things [${passages[0]?.number ?? 1}].` }));
        if (!isSecure) await page.addInitScript('delete Navigator.prototype.clipboard');
        await ask(page, test);
        await page.getByRole('button', { name: 'Copy answer' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        await page.getByLabel('Question').focus();
        await page.keyboard.press('ControlOrMeta+V');
        const copied = await page.getByLabel('Question').inputValue();
        const [text, sources] = copied.trim().split('\n\nSources:\n');
        same(text, 'The mate checks **four** things [1].', 'the text that was copied');
        const pattern = /^\[1\] Skerry Line crew handbook, http:\S+\/d\/[0-9a-f-]{36}\?q=\d+-\d+$/;
        holds(pattern.test(sources ?? ''), `“${sources}” names the source and links to the passage`);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
  }
}

async function checkCode(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check(
    'a block of code is copied by itself, as it was written',
    async (page) => {
      model.answers(() => ({ text: 'Run [1]:\n\n```sh\nferry --to "Holm" \\\n  --wind 14\n```\n\nThat is all.' }));
      await ask(page, test);
      await page.getByRole('button', { name: 'Copy code' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      same(copied, 'ferry --to "Holm" \\\n  --wind 14', 'the code that was copied');
      // A second press is announced again, although its text is the same.
      await page.evaluate(`window.spoken = 0; new MutationObserver(() => window.spoken++)
        .observe(document.querySelector('[role=status][aria-live=polite]'), { childList: true, characterData: true, subtree: true })`);
      await page.getByRole('button', { name: 'Copied' }).click();
      await page.waitForFunction('window.spoken > 0');
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );
}

async function checkHeadings(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('the headings of an answer are below that of its question', async (page) => {
    model.answers(() => ({ text: '# Before departure\n\nThe mate [1].\n\n## At sea\n\nNobody.' }));
    await ask(page, test);
    await page.getByRole('heading', { name: 'At sea', level: 4 }).waitFor();
    same(await page.getByRole('heading', { level: 1 }).count(), 1, 'the headings of the first level');
    same(await page.getByRole('heading', { level: 2 }).count(), 1, 'the headings of the second level');
    await page.getByRole('heading', { name: 'Before departure', level: 3 }).waitFor();
  });
}
