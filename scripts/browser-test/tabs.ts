import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { type PageModel, startPageModel } from './page-model.ts';
import { withServer } from './server.ts';
import { pauseInTheMiddle, showsBeginning, showsWholeAnswer } from './streams.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';
import { untilStored } from './until-stored.ts';

const QUESTION = 'Who checks the life rafts?';
const SHORT_ANSWER = 'The mate does.';

/** Several tabs of one browser on the same conversation. */
export const tabsSuite: BrowserSuite = {
  name: 'tabs',
  async run(test) {
    const model = await startPageModel();
    try {
      await withServer(model.settings, async ({ url }) => {
        const own = test.at(url);
        await own.ingest(fileURLToPath(new URL('../samples/handbook.md', import.meta.url)));
        for (const kind of ['answer', 'agent']) await checkBothFollow(own, model, kind);
        for (const kind of ['answer', 'agent']) await checkOtherBrowser(own, model, kind);
        await checkClosedBrowser(own, model);
        await checkClosedTab(own, model);
        await checkDeletion(own, model);
        await checkSlowConversation(own, model);
      });
    } finally {
      await model.close();
    }
  },
};

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Question').fill(question);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
}

const shortAnswer = (page: Page): Locator =>
  page.locator('.turn[aria-busy=false] .answer-text').filter({ hasText: SHORT_ANSWER });

const messagesOf = async (test: BrowserTest, page: Page): Promise<readonly string[]> => {
  const conversation = new URL(page.url()).searchParams.get('conversation');
  const messages = await test.get<readonly { message: { role: string } }[]>(`/conversations/${conversation}`);
  return messages.map(({ message: { role } }) => role);
};

async function checkBothFollow(test: BrowserTest, model: PageModel, kind: string): Promise<void> {
  await test.check(`an answer is shown in all tabs with its conversation, and stored once (${kind})`, async (page) => {
    const finish = pauseInTheMiddle(model);
    await page.goto(`${test.url}/?kind=${kind}`);
    await ask(page, QUESTION);
    await showsBeginning(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await showsBeginning(other);
    finish();
    await showsWholeAnswer(page);
    await showsWholeAnswer(other);
    model.answers(() => ({ text: SHORT_ANSWER }));
    await ask(other, 'Who, in short?');
    await shortAnswer(page).last().waitFor();
    await untilStored(page);
    same((await messagesOf(test, page)).join(), 'user,assistant,user,assistant', 'the stored messages');
    same(await page.locator('.turn').count(), 2, 'the number of answers');
  });
}

/** A page of another browser, which shares nothing with this one. */
async function otherBrowser(page: Page): Promise<Page> {
  const context = await page.context().browser()?.newContext();
  if (context === undefined) throw new Error('The page has no browser.');
  page.context().on('close', () => void context.close());
  return context.newPage();
}

async function checkOtherBrowser(test: BrowserTest, model: PageModel, kind: string): Promise<void> {
  await test.check(`an answer is followed in another browser, and stored once (${kind})`, async (page) => {
    const finish = pauseInTheMiddle(model);
    await page.goto(`${test.url}/?kind=${kind}`);
    await ask(page, QUESTION);
    await showsBeginning(page);
    const other = await otherBrowser(page);
    await other.goto(page.url());
    await showsBeginning(other);
    finish();
    await showsWholeAnswer(page);
    await showsWholeAnswer(other);
    // The other browser stores what this one has not stored after five seconds.
    await other.waitForTimeout(kind === 'answer' ? 6_000 : 0);
    same((await messagesOf(test, page)).join(), 'user,assistant', 'the stored messages');
  });
}

async function checkClosedBrowser(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('an answer whose browser was closed is shown and stored by another one', async (page) => {
    const finish = pauseInTheMiddle(model);
    await page.goto(test.url);
    await ask(page, QUESTION);
    await showsBeginning(page);
    const address = page.url();
    const other = await otherBrowser(page);
    await page.close();
    await other.goto(address);
    await showsBeginning(other);
    finish();
    await showsWholeAnswer(other);
    await other.waitForResponse((response) => response.url().endsWith('/messages') && response.ok());
    same((await messagesOf(test, other)).join(), 'user,assistant', 'the stored messages');
  });
}

async function checkClosedTab(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('an answer whose tab was closed is resumed in a new one', async (page) => {
    const finish = pauseInTheMiddle(model);
    await page.goto(test.url);
    await ask(page, QUESTION);
    await showsBeginning(page);
    const address = page.url();
    const other = await page.context().newPage();
    await page.close();
    await other.goto(address);
    await showsBeginning(other);
    finish();
    await showsWholeAnswer(other);
  });
}

async function checkDeletion(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check(
    'a conversation deleted in another tab is reported, and a question begins a new one',
    async (page) => {
      model.answers(() => ({ text: SHORT_ANSWER }));
      await page.goto(test.url);
      await ask(page, QUESTION);
      await shortAnswer(page).waitFor();
      await page.waitForURL(/conversation=/);
      const first = page.url();
      // Another browser, of which no message comes.
      const id = new URL(first).searchParams.get('conversation');
      await fetch(`${test.url}/v3/conversations/${id}`, { method: 'DELETE' });
      await ask(page, 'Who, in short?');
      await page.getByText('This conversation was deleted meanwhile. Try again to ask in a new one.').waitFor();
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await shortAnswer(page).nth(1).waitFor();
      await page.waitForURL((url) => url.href !== first && url.searchParams.has('conversation'));
      const other = await page.context().newPage();
      await other.goto(page.url());
      await shortAnswer(other).waitFor();
      const row = other.locator('.conversations li.current');
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Delete' }).click();
      await row.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('This conversation no longer exists, or belongs to someone else.').waitFor();
      await ask(page, QUESTION);
      await shortAnswer(page).waitFor();
    },
  );
}

async function checkSlowConversation(test: BrowserTest, model: PageModel): Promise<void> {
  await test.check('a question written while its conversation loads waits for it', async (page) => {
    model.answers(() => ({ text: SHORT_ANSWER }));
    await page.goto(test.url);
    await ask(page, QUESTION);
    await shortAnswer(page).waitFor();
    await page.waitForURL(/conversation=/);
    const { promise: isLate, resolve: respond } = Promise.withResolvers<void>();
    await page.route('**/v3/conversations/*', async (route) => {
      await isLate;
      await route.continue();
    });
    await page.reload();
    await page.getByLabel('Question').fill('Who, in short?');
    await page.keyboard.press('Enter');
    holds(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled(), 'the question cannot be sent yet');
    respond();
    await shortAnswer(page).waitFor();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await shortAnswer(page).nth(1).waitFor();
    same(await page.locator('.turn').count(), 2, 'the number of answers');
  });
}
