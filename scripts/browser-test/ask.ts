import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { withServer } from './server.ts';
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
    await checkDirection(test);
    await withServer({}, ({ url }) => checkFirstDocuments(test.at(url)));
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
    const buttons = await page.getByRole('button', { name: 'Open the source' }).all();
    const names = await Promise.all(buttons.map((button) => button.getAttribute('aria-label')));
    same(new Set(names).size, buttons.length, 'the number of different names of the buttons');
    holds(names[0]?.includes('handbook') === true, `${names[0]} names the source`);
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
  await test.check(
    'the title of a source is shown whole when the quotation stands near it',
    async (page) => {
      await page.goto(askedFor(test));
      await page.getByRole('button', { name: 'Open the source' }).first().click();
      await page.locator('.source-text mark').first().waitFor();
      await page.locator('[aria-live]').filter({ hasText: 'marked' }).waitFor({ state: 'attached' });
      same(
        await page.evaluate("document.querySelector('.source-beside').scrollTop"),
        0,
        'how far the source is scrolled',
      );
      const facts = await page.locator('.source-facts').innerText();
      holds(!/\bv\d/.test(facts), `${facts} names no version where there is only one`);
    },
    { viewport: { width: 1280, height: 1000 } },
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
  await test.check('a question that did not reach the server is still there after another view', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    await page.route(/\/v3\/(conversations|retrieval)/, (request) => request.abort('connectionrefused'));
    await page.getByLabel('Question').fill(QUESTION);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).last().waitFor();
    await page.locator('.turn .failure').waitFor();
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    await page.locator('.turn').waitFor({ state: 'detached' });
    same(await page.getByLabel('Question').inputValue(), QUESTION, 'the question in the box');
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
    'in a low window, the question box leaves the answer its room',
    async (page) => {
      await page.goto(askedFor(test));
      await firstQuote(page).waitFor();
      await page.evaluate('scrollTo(0, 0)');
      const box = await page.locator('.composer').boundingBox();
      const answer = await page.locator('.turn').boundingBox();
      holds(
        box !== null && answer !== null && box.y >= answer.y + answer.height,
        `the box (${JSON.stringify(box)}) is below the answer (${JSON.stringify(answer)})`,
      );
    },
    { viewport: { width: 667, height: 375 } },
  );
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

const ARABIC = 'تفتح المكتبة أبوابها في الساعة التاسعة صباحا.';
const ENGLISH = 'The library lends lamps.';

/** The side on which the first line of some words stands in the first block that matches the selector and contains them. */
const sideOf = (page: Page, selector: string, words: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const [block] = [...document.querySelectorAll(${JSON.stringify(selector)})]
      .filter(({ textContent }) => textContent.includes(${JSON.stringify(words)}));
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (!texts.nextNode().textContent.includes(${JSON.stringify(words)}));
    const range = document.createRange();
    const start = texts.currentNode.textContent.indexOf(${JSON.stringify(words)});
    range.setStart(texts.currentNode, start);
    range.setEnd(texts.currentNode, start + ${words.length});
    const [line, around] = [range.getClientRects()[0], block.getBoundingClientRect()];
    return around.right - line.right < line.left - around.left ? 'right' : 'left';
  })()`);

async function checkDirection(test: BrowserTest): Promise<void> {
  await test.check('Arabic is read from the right, in the question, the quotation and the source', async (page) => {
    const question = 'متى تفتح المكتبة؟';
    const id = await test.ingestBytes('library.txt', `${ARABIC}\n\n${ENGLISH}`);
    await page.goto(`${test.url}/?${new URLSearchParams({ ask: question })}`);
    await firstQuote(page).filter({ hasText: ARABIC }).waitFor();
    same(await sideOf(page, '.turn .question', question), 'right', 'the side of the question');
    same(await sideOf(page, '.quote-card blockquote', ARABIC), 'right', 'the side of the quotation');
    await page.goto(`${test.url}/d/${id}`);
    await page.getByText(ENGLISH).first().waitFor();
    same(await sideOf(page, '.source-block', ARABIC), 'right', 'the side of the Arabic paragraph');
    same(await sideOf(page, '.source-block', ENGLISH), 'left', 'the side of the English paragraph');
  });
}

/** The first minute with a service without documents. */
async function checkFirstDocuments(test: BrowserTest): Promise<void> {
  const good = { name: `${'long-'.repeat(40)}.md`, text: '# Lamps\n\nThe keeper trims eleven lamps at dusk.' };
  const broken = { name: 'broken.pdf', text: '%PDF-1.7\nThis is none.' };
  const files = [good, broken].map(({ name, text }) => ({ name, mimeType: '', buffer: Buffer.from(text) }));
  await test.check('the first files are read, one that fails says why, and a question can be asked', async (page) => {
    await page.goto(test.url);
    await page.getByTestId('files').setInputFiles(files);
    await page.getByText('The documents are ready.').waitFor();
    await page.locator(':focus').and(page.getByLabel('Question')).waitFor();
    await page.locator('.upload-failed').filter({ hasText: 'not a readable PDF' }).waitFor();
    await page.getByText('No documents yet').waitFor({ state: 'detached' });
    const isWider = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    same(isWider, false, 'whether the long name widens the page');
    await page.keyboard.type('How many lamps does the keeper trim?');
    await page.keyboard.press('Enter');
    await firstQuote(page).filter({ hasText: 'eleven lamps' }).waitFor();
  });
  await test.check('the first files are also read when another view is opened meanwhile', async (page) => {
    await withServer({}, async ({ url }) => {
      await page.goto(url);
      const texts = Array.from({ length: 8 }, (_, at) => Buffer.from(`Lamp ${at} burns until dawn.`));
      await page
        .getByTestId('files')
        .setInputFiles(texts.map((buffer, at) => ({ name: `lamp-${at}.txt`, mimeType: '', buffer })));
      await page.getByRole('link', { name: 'Library', exact: true }).click();
      await page.getByText('8 files are done').waitFor();
      await page.locator('.documents').getByText('lamp-7.txt').waitFor();
    });
  });
}
