import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { sample } from './sample.ts';
import { withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const QUESTION = 'Who checks the life rafts?';

/** The source beside an answer, and ways back from it. */
export const besideSuite: BrowserSuite = {
  name: 'beside',
  run: (test) =>
    withServer({}, async ({ url }) => {
      const own = test.at(url);
      const id = await own.ingestBytes('handbook.md', await readFile(sample('handbook.md')));
      await checkBack(own);
      await checkForward(own);
      await checkNoDeadBack(own);
      await checkNewest(own);
      await checkCitations(own);
      // Deletes the document.
      await checkDeleted(own, id);
      await checkStoredQuotation(own);
      await checkStoredStatement(own);
      await checkRemaining(own);
    }),
};

const openers = (page: Page) => page.locator('[data-cite]');
const source = (page: Page) => page.locator('.source-side');

async function openFirst(page: Page, test: BrowserTest): Promise<void> {
  await page.goto(`${test.url}/search`);
  await page.goto(`${test.url}/?${new URLSearchParams({ ask: QUESTION })}`);
  await page.waitForURL(/conversation=/);
  await openers(page).first().click();
  await source(page).locator('mark').first().waitFor();
}

async function checkBack(test: BrowserTest): Promise<void> {
  await test.check(
    'Back closes a source that covers the answer on a phone, and then leaves the answer',
    async (page) => {
      await openFirst(page, test);
      await page.goBack();
      await source(page).waitFor({ state: 'detached' });
      await openers(page).first().and(page.locator(':focus')).waitFor();
      await openers(page).first().click();
      await source(page).locator('mark').first().waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await source(page).waitFor({ state: 'detached' });
      await page.waitForFunction('history.state === null');
      await page.goBack();
      await page.waitForURL(`${test.url}/search`);
    },
    // The policy of the page forbids to evaluate a text repeatedly, as `waitForFunction` does.
    { bypassCSP: true, viewport: { width: 375, height: 667 } },
  );
  await test.check('Back from a document returns to the source beside the answer', async (page) => {
    await openFirst(page, test);
    await page.locator('.source-title a').click();
    await page.locator('.source h1').waitFor();
    await page.goBack();
    await source(page).locator('mark').first().waitFor();
    await page.goBack();
    await source(page).waitFor({ state: 'detached' });
    await openers(page).first().waitFor();
  });
}

async function checkForward(test: BrowserTest): Promise<void> {
  const reopens = async (page: Page, quote: string) => {
    await page.goForward();
    await source(page).locator('mark').first().waitFor();
    // The final stop is no part of a quote that was found again after a reload.
    const words = await source(page).locator('mark').first().innerText();
    same(words.replace(/\.$/, ''), quote.replace(/\.$/, ''), 'the marked words');
    await page.goBack();
    await source(page).waitFor({ state: 'detached' });
  };
  await test.check('Forward opens the source that was read last, also after a reload', async (page) => {
    await openFirst(page, test);
    await page.getByLabel('Question').fill('On which boat does livestock travel?');
    await page.keyboard.press('Enter');
    await openers(page).nth(1).waitFor();
    await openers(page).first().click();
    const first = await source(page).locator('mark').first().innerText();
    await page.keyboard.press('j');
    await page.getByText(/^Citation 2 of/).waitFor();
    await source(page).locator('mark').filter({ hasNotText: first }).first().waitFor();
    const quote = await source(page).locator('mark').first().innerText();
    await page.getByRole('button', { name: 'Close' }).click();
    await source(page).waitFor({ state: 'detached' });
    await reopens(page, quote);
    await page.reload();
    await openers(page).nth(1).waitFor();
    await reopens(page, quote);
  });
}

async function checkNoDeadBack(test: BrowserTest): Promise<void> {
  const isAtAnswer = (page: Page) => page.waitForFunction('history.state === null');
  const leaves = async (page: Page) => {
    await page.goBack();
    await page.waitForURL(`${test.url}/search`);
  };
  await test.check(
    'after a question beside an open source, Back leaves the conversation at once',
    async (page) => {
      await openFirst(page, test);
      await page.getByLabel('Question').fill('On which boat does livestock travel?');
      await page.keyboard.press('Enter');
      await page.waitForURL(/ask=On\+which/);
      await page.locator('.turn').nth(1).waitFor();
      same(await source(page).count(), 0, 'the number of open sources');
      await isAtAnswer(page);
      await leaves(page);
    },
    { bypassCSP: true },
  );
  await test.check(
    'after a reload with an open source, Back leaves the conversation at once',
    async (page) => {
      await openFirst(page, test);
      await page.reload();
      await openers(page).first().waitFor();
      await isAtAnswer(page);
      await leaves(page);
    },
    { bypassCSP: true },
  );
}

async function checkCitations(test: BrowserTest): Promise<void> {
  await test.check('closing the source returns to the citation that was read last', async (page) => {
    await openFirst(page, test);
    await page.getByLabel('Question').fill('On which boat does livestock travel?');
    await page.keyboard.press('Enter');
    await openers(page).nth(1).waitFor();
    await openers(page).first().click();
    await source(page).locator('mark').first().waitFor();
    await page.keyboard.press('j');
    await page.getByText(/^Citation 2 of/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await source(page).waitFor({ state: 'detached' });
    // Other code may still move the focus.
    await page.waitForTimeout(300);
    await openers(page).nth(1).and(page.locator(':focus')).waitFor();
  });
}

async function checkDeleted(test: BrowserTest, id: string): Promise<void> {
  await test.check('the quoted words of a deleted document stay', async (page) => {
    await openFirst(page, test);
    const quote = (await source(page).locator('mark').allTextContents()).join('');
    await page.keyboard.press('Escape');
    await source(page).waitFor({ state: 'detached' });
    await fetch(`${test.url}/v3/documents/${id}`, { method: 'DELETE' });
    await openers(page).first().click();
    await source(page).getByText('This document does not exist').waitFor();
    const kept = await source(page).locator('blockquote').first().innerText();
    same(kept.replaceAll(/\s+/g, ' '), quote.replaceAll(/\s+/g, ' ').trim(), 'the quoted words');
    same(await source(page).getByRole('button', { name: 'Close' }).count(), 1, 'the number of buttons that close');
  });
}

async function checkStoredQuotation(test: BrowserTest): Promise<void> {
  await test.check('after a reload, an answer keeps the words that it quotes from a deleted document', async (page) => {
    const id = await test.ingestBytes('buoy.md', 'The buoy off Vestvik is painted every [12] April.');
    const stored = page.waitForResponse(
      (response) => /messages$/.test(response.url()) && response.request().postData()?.includes('assistant') === true,
    );
    await page.goto(`${test.url}/?${new URLSearchParams({ ask: 'When is the buoy off Vestvik painted?' })}`);
    await page.waitForURL(/conversation=/);
    await stored;
    await openers(page).first().waitFor();
    const quote = page.locator('.quote-card blockquote').first();
    const words = await quote.innerText();
    holds(words.includes('every [12] April'), `“${words}” is the quotation`);
    await fetch(`${test.url}/v3/documents/${id}`, { method: 'DELETE' });
    await page.reload();
    same(await quote.innerText(), words, 'the quotation after the reload');
    await openers(page).first().click();
    await source(page).getByText('This document does not exist').waitFor();
    same(await source(page).locator('blockquote').innerText(), words, 'the words in place of the source');
  });
}

async function checkStoredStatement(test: BrowserTest): Promise<void> {
  await test.check('of a deleted document, the statement and verdict of a stored answer are shown', async (page) => {
    const id = await test.ingestBytes('horn.md', 'The horn sounds twice.');
    const conversation = await store(test, '', { name: 'The horn' });
    await store(test, `/${conversation}/messages`, { role: 'user', content: 'How often does the horn sound?' });
    const citations = [{ id: 'cit.1', document_id: id, title: 'horn.md', verdict: 'close' }];
    const content = 'Fog is common. It sounds two times [1].';
    const metadata = { model: 'a/b', citations };
    await store(test, `/${conversation}/messages`, { role: 'assistant', content, metadata });
    await fetch(`${test.url}/v3/documents/${id}`, { method: 'DELETE' });
    await page.goto(`${test.url}/?conversation=${conversation}`);
    await openers(page).first().filter({ hasText: 'in other words' }).click();
    await source(page).getByText('quoted from “horn.md” are not stored').waitFor();
    same(await source(page).locator('blockquote').innerText(), 'Fog is common. It sounds two times', 'the statement');
    await source(page).getByText('is stored: in other words').waitFor();
  });
}

async function checkNewest(test: BrowserTest): Promise<void> {
  await test.check(
    'a long conversation opens at its newest question',
    async (page) => {
      const conversation = await store(test, '', { name: 'Long' });
      for (const number of [1, 2, 3]) {
        await store(test, `/${conversation}/messages`, { role: 'user', content: `Question ${number}` });
        const content = 'A paragraph.\n\n'.repeat(60);
        await store(test, `/${conversation}/messages`, { role: 'assistant', content, metadata: { model: 'a/b' } });
      }
      await page.goto(`${test.url}/?conversation=${conversation}`);
      const newest = page.getByRole('heading', { name: 'Question 3' });
      await newest.waitFor();
      await page.waitForFunction('scrollY > 0');
      const box = await newest.boundingBox();
      holds(box !== null && box.y >= 0 && box.y < 200, `it is at the top (${JSON.stringify(box)})`);
    },
    { bypassCSP: true },
  );
}

/** Stores a conversation or a message, and returns its identifier. */
async function store(test: BrowserTest, path: string, body: object): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const options = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${test.url}/v3/conversations${path}`, options);
  const { results } = (await response.json()) as { readonly results: { readonly id: string } };
  return results.id;
}

/** One citation of a stored answer is of a document that is deleted before the conversation is opened again. */
async function checkRemaining(test: BrowserTest): Promise<void> {
  await test.check('a deleted document does not hide the quotes of others in an earlier answer', async (page) => {
    const kept = await test.ingestBytes('lamps.md', 'The keeper trims eleven lamps at dusk.');
    const gone = await test.ingestBytes('bell.md', 'The bell rings in fog.');
    const citations = await Promise.all(
      [kept, gone].map(async (id, index) => {
        const [chunk] = await test.get<readonly { readonly id: string }[]>(`/documents/${id}/chunks`);
        return { id: `cit.${index + 1}`, document_id: id, chunk_id: chunk?.id };
      }),
    );
    const conversation = await store(test, '', { name: 'Lamps and bell' });
    await store(test, `/${conversation}/messages`, { role: 'user', content: 'What about lamps and the bell?' });
    const content = 'The keeper trims eleven lamps at dusk [1]. The bell rings in fog [2].';
    await store(test, `/${conversation}/messages`, {
      role: 'assistant',
      content,
      metadata: { model: 'a/b', citations },
    });
    await fetch(`${test.url}/v3/documents/${gone}`, { method: 'DELETE' });
    await page.goto(`${test.url}/?conversation=${conversation}`);
    await openers(page).first().filter({ hasText: 'verbatim' }).click();
    const marks = source(page).locator('mark');
    await marks.first().waitFor();
    same((await marks.allTextContents()).join(''), 'The keeper trims eleven lamps at dusk', 'the marked text');
    same(await openers(page).count(), 2, 'the number of citations');
  });
}
