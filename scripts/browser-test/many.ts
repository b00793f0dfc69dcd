import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { startServer, withFolder } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const COUNT = 5_000;
const PER_PAGE = 50;
/** Maximum number of DOM elements, however much the service holds. */
const MAX_ELEMENTS = 4_000;
const MAX_LISTED = 200;
/** With a plan that compares each document with each membership, counting takes several times as long. */
const MAX_COUNTING_MS = 2_000;

/** Thousands of documents and conversations. */
export const manySuite: BrowserSuite = {
  name: 'many',
  run: (test) =>
    withFolder(async (folder) => {
      const first = await startServer(folder);
      try {
        await test.at(first.url).ingestBytes('ferry.md', '# The ferry\n\nThe ferry sails at dawn.');
        await fetch(`${first.url}/v3/conversations`, { method: 'POST' });
      } finally {
        await first.stop();
      }
      await multiply(folder);
      const server = await startServer(folder);
      try {
        const own = test.at(server.url);
        await checkPages(own);
        await checkSort(own);
        await checkScroll(own);
        await checkFilter(own);
        await checkFacets(own);
        await checkConversations(own);
        await checkCollection(own);
        await checkDeletion(own);
      } finally {
        await server.stop();
      }
    }),
};

/** Copies the document and the conversation by SQL, because reading 5,000 files takes minutes. */
async function multiply(folder: string): Promise<void> {
  const name = (await readdir(folder)).find((each) => each.endsWith('.db'));
  if (name === undefined) throw new Error('The service has no database.');
  const database = new DatabaseSync(join(folder, name));
  const columnsOf = (table: string, others: readonly string[]): string =>
    database
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name: column }) => `"${column}"`)
      .filter((column) => !others.includes(column))
      .join(', ');
  const numbers = `with recursive n(i) as (select 2 union all select i + 1 from n where i <= ${COUNT})`;
  const kept = columnsOf('documents', ['"key"', '"id"', '"title"', '"content_hash"', '"type"', '"metadata"']);
  database.exec(`
    begin;
    ${numbers} insert into documents (id, title, content_hash, type, metadata, ${kept})
      select printf('d0000000-0000-4000-8000-%012d', i), 'Log of day ' || i, 'hash ' || i,
        case i % 4 when 0 then 'pdf' when 1 then 'docx' else type end, json_object('year', 2020 + i % 5), ${kept}
      from documents, n where documents.key = 1;
    insert into document_collections (document_key, collection_id)
      select documents.key, one.collection_id from documents, document_collections one
      where one.document_key = 1 and documents.key > 1;
    ${numbers} insert into conversations (id, name, user_id, created_at)
      select printf('c0000000-0000-4000-8000-%012d', i), 'Conversation ' || i, user_id, created_at
      from conversations, n where conversations.key = 1;
    commit;`);
  database.close();
}

async function staysSmall(page: Page): Promise<void> {
  const elements = Number(await page.evaluate('document.querySelectorAll("*").length'));
  holds(elements < MAX_ELEMENTS, `${elements} elements are fewer than ${MAX_ELEMENTS}`);
}

const rows = (page: Page) => page.locator('.documents tbody tr');

async function checkPages(test: BrowserTest): Promise<void> {
  await test.check(`the library shows ${COUNT} documents by pages`, async (page) => {
    await page.goto(`${test.url}/library`);
    await page.getByText('1–50 of 5,001').waitFor();
    same(await rows(page).count(), PER_PAGE, 'the number of rows');
    await staysSmall(page);
    const first = await rows(page).first().innerText();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('51–100 of 5,001').waitFor();
    await page.reload();
    await page.getByText('51–100 of 5,001').waitFor();
    holds((await rows(page).first().innerText()) !== first, 'another page has other rows');
    await page.getByRole('button', { name: 'Last page' }).click();
    await page.getByText('5,001–5,001 of 5,001').waitFor();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    same(await rows(page).count(), 1, 'the number of rows of the last page');
    await page.getByRole('button', { name: 'Last page' }).and(page.locator(':focus')).waitFor();
    await page.goBack();
    await page.getByText('51–100 of 5,001').waitFor();
  });
}

async function checkSort(test: BrowserTest): Promise<void> {
  await test.check(`${COUNT} documents are sorted by a column over all pages, also with the keyboard`, async (page) => {
    await page.goto(`${test.url}/library?page=3`);
    await page.getByText('101–150 of 5,001').waitFor();
    const head = (name: string) => page.getByRole('columnheader', { name });
    same(await head('Added').getAttribute('aria-sort'), 'descending', 'the order at first');
    await head('Document').getByRole('button').click();
    await page.getByText('1–50 of 5,001').waitFor();
    await page.locator('.documents [aria-sort=ascending]').waitFor();
    await rows(page).first().getByText('ferry.md').waitFor();
    await rows(page).nth(1).getByText('Log of day 10', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('51–100 of 5,001').waitFor();
    await page.reload();
    await rows(page).first().getByText('Log of day 1043', { exact: true }).waitFor();
    await head('Document').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.locator('.documents [aria-sort=descending]').waitFor();
    await rows(page).first().getByText('Log of day 999').waitFor();
    await page.locator('.documents-sort:focus').waitFor();
    same(await page.locator('[aria-sort]').count(), 1, 'the number of columns that the list is sorted by');
  });
}

async function checkScroll(test: BrowserTest): Promise<void> {
  for (const width of [1280, 360]) {
    await test.check(
      `Back from a document returns to its row in the library at ${width} px`,
      async (page) => {
        await page.goto(`${test.url}/library?page=2`);
        const link = rows(page).nth(30).getByRole('link');
        await link.scrollIntoViewIfNeeded();
        const before = Number(await page.evaluate('scrollY'));
        holds(before > 0, 'the row is not visible at first');
        await link.click();
        await page.locator('.source h1').waitFor();
        same(await page.evaluate('scrollY'), 0, 'how far the document is scrolled');
        await page.goBack();
        await page.waitForFunction(`Math.abs(scrollY - ${before}) <= 1`);
        const box = await link.boundingBox();
        holds(box !== null && box.y > 0 && box.y < 800, `the row is in sight (${JSON.stringify(box)})`);
      },
      // The policy of the page forbids to evaluate a text repeatedly, as `waitForFunction` does.
      { bypassCSP: true, viewport: { width, height: 800 } },
    );
  }
}

async function checkFilter(test: BrowserTest): Promise<void> {
  await test.check(`one of ${COUNT} documents is found by its title`, async (page) => {
    await page.goto(`${test.url}/library?page=3`);
    await page.getByLabel('Title contains').fill('day 4321');
    await page.getByText('1 document found').waitFor();
    same(await rows(page).count(), 1, 'the number of rows');
    await rows(page).getByRole('link', { name: 'Log of day 4321' }).waitFor();
    await page.getByLabel('Title contains').fill('');
    await page.getByText('1–50 of 5,001').waitFor();
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('No document matches.').waitFor();
  });
}

async function checkFacets(test: BrowserTest): Promise<void> {
  await test.check(`the filters of Search count all of ${COUNT} documents`, async (page) => {
    const startedAt = performance.now();
    await test.get('/documents/facets');
    const milliseconds = Math.round(performance.now() - startedAt);
    holds(milliseconds < MAX_COUNTING_MS, `${milliseconds} ms for counting are less than ${MAX_COUNTING_MS}`);
    await page.goto(`${test.url}/search?q=ferry`);
    await page.locator('.hit').first().waitFor();
    for (const facet of ['md 2,501', 'pdf 1,250', 'docx 1,250', '2021 1,000']) {
      await page.getByRole('button', { name: facet, exact: true }).waitFor();
    }
    await page.getByRole('button', { name: /^pdf / }).click();
    await page.getByRole('button', { name: /^pdf /, pressed: true }).waitFor();
    await page.getByText('Nothing found.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.locator('.hit').first().waitFor();
    await staysSmall(page);
  });
}

async function checkConversations(test: BrowserTest): Promise<void> {
  await test.check(`the side list scrolls through ${COUNT} conversations and finds one by its name`, async (page) => {
    await page.goto(test.url);
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const shown = () => list.locator('li').count();
    await list.getByText('Conversation 5001', { exact: true }).waitFor();
    holds((await shown()) <= 2 * PER_PAGE, 'little is there before it is scrolled to');
    same(await page.evaluate('document.documentElement.scrollHeight - innerHeight'), 0, 'by how much the page scrolls');
    const isBounded = async () => holds((await shown()) <= MAX_LISTED, `${await shown()} conversations are few`);
    // Scrolls down by far more than the page keeps, and up again.
    for (const name of ['Conversation 4905', 'Conversation 4805', 'Conversation 4705', 'Conversation 4605']) {
      await scrollTo(page, list, name, 'last');
      await isBounded();
    }
    await scrollTo(page, list, 'Conversation 5001', 'first');
    const found = page.waitForResponse(/conversations\?.*limit=1000/);
    await list.getByLabel('Find by name').fill('conversation');
    await list.getByText('Conversation 5001', { exact: true }).waitFor();
    await found;
    await list.getByRole('button', { name: 'Show more' }).waitFor();
    await isBounded();
    await list.getByLabel('Find by name').fill('conversation 17');
    await list.getByText('Conversation 1799', { exact: true }).waitFor();
    await list.getByLabel('Find by name').fill('conversation 1777');
    await list.getByText('Conversation 1799', { exact: true }).waitFor({ state: 'detached' });
    await list.getByText('Conversation 1777', { exact: true }).waitFor();
    same(await shown(), 1, 'the number of conversations found');
    await list.getByText('Conversation 1777', { exact: true }).click();
    await page.waitForURL(/conversation=c0000000-0000-4000-8000-000000001777/);
  });
}

/** Scrolls to one end of the shown items, again and again, until the name appears. */
async function scrollTo(
  page: Page,
  list: ReturnType<Page['getByRole']>,
  name: string,
  end: 'first' | 'last',
): Promise<void> {
  const wanted = list.getByText(name, { exact: true });
  for (let attempt = 0; attempt < 100 && (await wanted.count()) === 0; attempt++) {
    const edge = await list.locator('li')[end]().textContent();
    // Scrolls in one step, because the list may replace its elements while it scrolls.
    await list
      .locator('li')
      [end]()
      .evaluate((element: { scrollIntoView(options: object): void }) => element.scrollIntoView({ block: 'center' }));
    await page.mouse.wheel(0, end === 'last' ? 4_000 : -4_000);
    if ((await list.locator('li')[end]().textContent()) === edge) await page.waitForTimeout(50);
  }
  await wanted.waitFor();
}

async function checkCollection(test: BrowserTest): Promise<void> {
  await test.check('all documents that pass a filter are added to a collection, with progress', async (page) => {
    const made = await fetch(`${test.url}/v3/collections`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'First days' }),
    });
    const { results } = (await made.json()) as { readonly results: { readonly id: string } };
    await page.goto(`${test.url}/library?title=day+1`);
    await page.getByText('1–50 of 1,110').waitFor();
    await page.locator('.documents thead input').check();
    await page.getByRole('button', { name: /^Select all 1,110/ }).click();
    await page.getByText('1,110 selected').waitFor();
    let requests = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/documents')) requests++;
    });
    await page.getByLabel('Add to collection').selectOption('First days');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^(500|1,000) of 1,110 done/).waitFor();
    await page.getByText(/selected$/).waitFor({ state: 'detached' });
    same(requests, 3, 'the number of requests');
    const { document_count: count } = await test.get<{ readonly document_count: number }>(`/collections/${results.id}`);
    same(count, 1_110, 'the number of documents in the collection');
  });
}

async function checkDeletion(test: BrowserTest): Promise<void> {
  await test.check(`a page of ${COUNT} documents is selected and deleted`, async (page) => {
    await page.goto(`${test.url}/library?page=2`);
    await page.getByText('51–100 of 5,001').waitFor();
    await page.locator('.documents thead input').check();
    await page.getByText('50 selected').waitFor();
    await rows(page).first().locator('input').uncheck();
    await page.getByText('49 selected').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByText('and 44 more').waitFor();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.locator('.receipt').waitFor();
    holds(/Documents\s*49/.test(await page.locator('.receipt').innerText()), 'the receipt counts the documents');
    await page.keyboard.press('Escape');
    await page.getByText('51–100 of 4,952').waitFor();
    same(await page.locator('.documents input:checked').count(), 0, 'the number of documents still selected');
  });
  await test.check('all documents that pass a filter are selected and deleted, until that is stopped', async (page) => {
    await page.goto(`${test.url}/library?title=day+1`);
    await page.getByText(/^1–50 of/).waitFor();
    await page.locator('.documents thead input').check();
    await page.getByText('50 selected').waitFor();
    await page.getByRole('button', { name: /^Select all 1,/ }).click();
    await page.getByText(/^1,\d{3} selected/).waitFor();
    await rows(page).first().locator('input').uncheck();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByText(/^and 1,\d{3} more/).waitFor();
    // A fast machine would delete all of them before this is stopped.
    const stopped = Promise.withResolvers<void>();
    let requests = 0;
    await page.route('**/v3/documents/delete', async (route) => {
      if (++requests === 3) await stopped.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText(/^200 of 1,\d{3} deleted/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    stopped.resolve();
    await page.locator('.receipt').waitFor();
    const counted = /Documents\s*([\d,]+)/.exec(await page.locator('.receipt').innerText());
    holds(Number(counted?.[1]?.replace(',', '')) < 1_000, `${counted?.[1]} were deleted before the stop`);
  });
}
