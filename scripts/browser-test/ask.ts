import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const QUESTION = 'Who checks the life rafts?';

/** Asking, citations and stored conversations. The service has no language model, so answers are quotations. */
export const askSuite: BrowserSuite = {
  name: 'ask',
  async run(test) {
    await test.ingest(fileURLToPath(new URL('../samples/handbook.md', import.meta.url)));
    await checkQuotations(test);
    await checkLinks(test);
    await checkConversations(test);
    await checkNarrow(test);
  },
};

const askedFor = (test: BrowserTest, more = ''): string =>
  `${test.url}/?${new URLSearchParams({ ask: QUESTION })}${more}`;

const firstQuote = (page: Page) => page.locator('.quote-card blockquote').first();

/** Normalises white space: wrapped lines are joined in a card. */
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The quotation of an earlier answer is found again without its full stop. */
const withoutStop = (text: string): string => words(text).replace(/\.$/, '');

async function checkQuotations(test: BrowserTest): Promise<void> {
  await test.check('the source of a quotation opens beside it, with exactly the quotation marked', async (page) => {
    await page.goto(askedFor(test));
    const quote = words(await firstQuote(page).innerText());
    holds(quote.includes('life rafts'), `“${quote}” answers the question`);
    await page.getByRole('button', { name: 'Open the source' }).first().click();
    const marks = page.locator('.source-text mark');
    await marks.first().waitFor();
    same(words((await marks.allTextContents()).join('')), quote, 'the marked text');
  });
  await test.check(
    'the answer stays where it is when a source opens beside it',
    async (page) => {
      await page.goto(askedFor(test));
      await firstQuote(page).waitFor();
      const before = await page.evaluate('scrollY');
      await page.getByRole('button', { name: 'Open the source' }).first().click();
      const mark = page.locator('.source-text mark').first();
      await mark.waitFor();
      await page.waitForFunction("document.querySelector('.source-beside').scrollTop > 0");
      same(await page.evaluate('scrollY'), before, 'how far the page is scrolled');
      const box = await mark.boundingBox();
      holds(
        box !== null && box.y > 0 && box.y + box.height < 600,
        `the quotation is in sight (${JSON.stringify(box)})`,
      );
    },
    // The policy of the page forbids to evaluate a text repeatedly, as `waitForFunction` does.
    { bypassCSP: true, viewport: { width: 1280, height: 600 } },
  );
  await test.check('the keyboard alone opens a source, and comes back to its citation', async (page) => {
    await page.goto(askedFor(test));
    await firstQuote(page).waitFor();
    await page.keyboard.press('j');
    const focused = () => page.evaluate('document.activeElement.id');
    const citation = await focused();
    await page.keyboard.press('Enter');
    await page.locator('.source-text mark').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.source-side').waitFor({ state: 'detached' });
    await page.locator(`[id="${citation}"]:focus`).waitFor();
  });
  await test.check('a question that the documents do not answer is said to be one, and leads on', async (page) => {
    await page.goto(`${test.url}/?ask=Wherefrom+do+zebrafish+quaff+absinthe`);
    await page.locator('.nothing-found').getByRole('link', { name: 'Search for single words' }).click();
    await page.waitForURL(/\/search\?q=Wherefrom/);
  });
  await test.check('an invalid filter is reported, and nothing is sent', async (page) => {
    await page.goto(`${test.url}/?filter=nonsense`);
    await page.getByText('The filter is not a JSON object.').waitFor();
    await page.getByLabel('Question').fill(QUESTION);
    same(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled(), true, 'whether Ask is off');
  });
}

async function checkLinks(test: BrowserTest): Promise<void> {
  await test.check('a link with a question for the agent waits for confirmation', async (page) => {
    await page.goto(askedFor(test, '&kind=agent'));
    await page.getByText('This question comes from the link.').waitFor();
    same(await page.getByLabel('Question').inputValue(), QUESTION, 'the question in the box');
    same(await page.locator('.turn').count(), 0, 'the number of answers');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await firstQuote(page).waitFor();
    await page.locator('.steps summary').first().click();
    await page.getByText(`Searched the documents for “${QUESTION}”`).waitFor();
  });
  await test.check('a missing conversation is reported', async (page) => {
    await page.goto(`${test.url}/?conversation=00000000-0000-4000-8000-000000000000`);
    await page.getByText('This conversation no longer exists').waitFor();
  });
}

async function checkConversations(test: BrowserTest): Promise<void> {
  await test.check(
    'an answer is shown again after a reload, and its conversation can be renamed and deleted',
    async (page) => {
      await page.goto(askedFor(test));
      const quote = withoutStop(await firstQuote(page).innerText());
      await page.waitForURL(/conversation=/);
      const row = page.locator('.conversations li.current');
      await row.waitFor();
      await page.reload();
      same(withoutStop(await firstQuote(page).innerText()), quote, 'the quotation after the reload');
      same(await page.locator('.turn').count(), 1, 'the number of answers');
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Rename' }).click();
      await row.getByLabel('Name').fill('The rafts');
      await page.keyboard.press('Enter');
      await row.getByText('The rafts', { exact: true }).waitFor();
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Delete' }).click();
      await row.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL(`${test.url}/`);
      await page.locator('.turn').first().waitFor({ state: 'detached' });
    },
  );
}

async function checkNarrow(test: BrowserTest): Promise<void> {
  await test.check(
    'a window of 360 px needs no horizontal scrolling',
    async (page) => {
      await page.goto(askedFor(test));
      await firstQuote(page).waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      same(width, 360, 'the width of the page');
    },
    { viewport: { width: 360, height: 700 } },
  );
}
