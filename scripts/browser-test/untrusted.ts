import type { Page } from 'playwright-core';
import { startPageModel } from './page-model.ts';
import { withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

/** Text that would act if it were treated as HTML: it sets a variable of the window and requests a foreign host. */
const hostile = (place: string): string =>
  `<img src="http://attacker.invalid/${place}" onerror="window.hacked='${place}'"><script>window.hacked='${place}'</script>${place}`;

const ANSWER = [
  `${hostile('answer')} [1]`,
  '[a script](javascript:window.hacked=1) and [another](JaVaScRiPt:window.hacked=1) and [data](data:text/html,<script>1</script>)',
  '[honest](https://example.org/page) and ![picture](http://attacker.invalid/picture)',
  '<a href="javascript:window.hacked=1">raw link</a> and <iframe src="http://attacker.invalid/frame"></iframe>',
  '```html\n<script>window.hacked=1</script>\n```',
].join('\n\n');

/** Titles, metadata, passages, names and answers are shown as text. `hostileSuite` covers the source view. */
export const untrustedSuite: BrowserSuite = {
  name: 'untrusted',
  async run(test) {
    const model = await startPageModel();
    try {
      await withServer(model.settings, async ({ url }) => {
        const own = test.at(url);
        const id = await fill(own);
        model.answers(() => ({ text: ANSWER }));
        await checkViews(own, id);
        await checkAnswer(own);
      });
    } finally {
      await model.close();
    }
  },
};

async function post(url: string, body: object): Promise<{ readonly id: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { readonly results: { readonly id: string } };
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(answer)}`);
  return answer.results;
}

/** Adds a document, two collections, conversations and a graph with hostile names; returns the document id. */
async function fill({ url }: BrowserTest): Promise<string> {
  const [first, second] = [hostile('collection'), hostile('second')].map((name) =>
    post(`${url}/v3/collections`, { name, description: hostile('description') }),
  );
  const collections = [(await first)?.id ?? '', (await second)?.id ?? ''];
  let id = '';
  for (const part of ['one', 'two']) {
    const form = new FormData();
    form.set('raw_text', `The harbour ${part} is open. ${hostile('passage')} The harbour closes at night.`);
    form.set(
      'metadata',
      JSON.stringify({ title: hostile(`title-${part}`), [hostile('key')]: `<img src=x onerror="window.hacked='v'">` }),
    );
    form.set('collection_ids', JSON.stringify(collections));
    const response = await fetch(`${url}/v3/documents`, { method: 'POST', body: form });
    id = ((await response.json()) as { results: { document_id: string } }).results.document_id;
  }
  const [collection] = collections;
  const entity = (name: string) =>
    post(`${url}/v3/graphs/${collection}/entities`, { name: hostile(name), description: hostile('entity') });
  const [subject, object] = [await entity('subject'), await entity('object')];
  await post(`${url}/v3/graphs/${collection}/relationships`, {
    subject: hostile('subject'),
    subject_id: subject.id,
    object: hostile('object'),
    object_id: object.id,
    predicate: hostile('predicate'),
    description: hostile('sentence'),
  });
  await post(`${url}/v3/conversations`, { name: hostile('conversation') });
  await post(`${url}/v3/users/${(await me(url)).id}/api-keys`, { name: hostile('api-key') });
  return id;
}

const me = async (url: string): Promise<{ readonly id: string }> =>
  ((await (await fetch(`${url}/v3/users/me`)).json()) as { results: { id: string } }).results;

/** Opens the address, waits until each of the texts is shown as text, and checks that none of them acted. */
async function isText(page: Page, address: string, places: readonly string[], open?: () => Promise<void>) {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).hostname === 'attacker.invalid') foreign.push(request.url());
  });
  await page.goto(address);
  await open?.();
  for (const place of places) await page.getByText(`window.hacked='${place}'`).first().waitFor({ state: 'attached' });
  same(await page.evaluate('String(window.hacked)'), 'undefined', 'what ran');
  same(foreign.join(), '', 'what was fetched');
  const found = await page.locator('img, iframe, [onerror], [href^="javascript:" i], [href^="data:" i]').count();
  same(found, 0, 'the number of elements that could act');
  holds(!(await page.title()).includes('hacked'), 'the title is ours');
}

/** Switches off the content security policy, which would hide mistakes of the page. */
const unprotected = { bypassCSP: true } as const;

async function checkViews(test: BrowserTest, id: string): Promise<void> {
  const { url } = test;
  const check = (title: string, run: (page: Page) => Promise<void>) =>
    test.check(`${title} are shown as text`, run, unprotected);
  await check('titles and names of collections in the library', async (page) => {
    await isText(page, `${url}/library`, ['title-one', 'title-two', 'collection'], async () => {
      await page.locator('.documents thead input').check();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('dialog').waitFor();
    });
  });
  await test.check('a name with a reversed part does not pass for another one', async (page) => {
    await test.ingestBytes('holiday\u202egnp.txt', 'The lamp of the quay is green.');
    await page.goto(`${url}/library?title=holiday`);
    await page.getByRole('link', { name: 'holiday\ufffdgnp.txt', exact: true }).click();
    await page.getByRole('heading', { name: 'holiday\ufffdgnp.txt', exact: true }).waitFor();
  });
  await check('passages, titles and metadata in Search', (page) =>
    isText(page, `${url}/search?q=harbour`, ['passage', 'title-one', 'key', 'v', 'collection']),
  );
  await check('entities and relationships of the graph', async (page) => {
    await isText(page, `${url}/graph?as=table`, ['subject', 'sentence', 'predicate', 'entity'], async () => {
      const choice = page.getByLabel('Collection');
      await choice.locator('option').filter({ hasText: 'collection' }).first().waitFor({ state: 'attached' });
      const names = await choice.locator('option').allTextContents();
      await choice.selectOption({ index: names.findIndex((name) => /<\/script>collection \(\d+\)$/.test(name)) });
      await page.locator('.graph-table button').filter({ hasText: 'subject' }).first().click();
    });
  });
  await check('labels in the drawing of the graph', async (page) => {
    await isText(page, `${url}/graph`, ['collection'], async () => {
      const choice = page.getByLabel('Collection');
      await choice.locator('option').filter({ hasText: 'collection' }).first().waitFor({ state: 'attached' });
      const names = await choice.locator('option').allTextContents();
      await choice.selectOption({ index: names.findIndex((name) => /<\/script>collection \(\d+\)$/.test(name)) });
      await page.getByText('All 2 entities.').waitFor();
      await page.locator('.graph-main canvas, .graph-main .notice').first().waitFor();
    });
  });
  await check('names of conversations', async (page) => {
    await isText(page, `${url}/`, ['conversation'], async () => {
      const row = page.locator('.conversations li').first();
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Delete' }).click();
      await row.getByRole('alertdialog').waitFor();
    });
  });
  await check('collections in the scope of a question', (page) =>
    isText(page, `${url}/`, ['collection'], () => page.getByText('Scope and model').click()),
  );
  await check('names of keys in the settings', (page) => isText(page, `${url}/settings`, ['api-key']));
  await check('title, metadata and passages of a document', async (page) => {
    for (const tab of ['text', 'passages', 'details']) {
      await isText(page, `${url}/d/${id}?tab=${tab}`, [tab === 'details' ? 'v' : 'passage', 'title-two']);
    }
  });
  await check('what a link says', async (page) => {
    const asked = encodeURIComponent(hostile('link'));
    await isText(page, `${url}/?kind=agent&ask=${asked}&filter=${asked}&model=${asked}`, [], async () => {
      await page.getByText('This question comes from the link.').waitFor();
      same(await page.getByLabel('Question').inputValue(), hostile('link'), 'the question');
    });
    await isText(page, `${url}/graph?as=table&name=${asked}`, ['link']);
    await isText(page, `${url}/search?q=${asked}&type=${asked}`, [], () => page.getByText('Nothing found.').waitFor());
  });
}

async function checkAnswer(test: BrowserTest): Promise<void> {
  await test.check(
    'the answer of a model is shown as text, and only its honest link can be followed',
    async (page) => {
      const asked = encodeURIComponent(`When does the harbour close? ${hostile('question')}`);
      await isText(page, `${test.url}/?ask=${asked}`, ['answer', 'question'], () =>
        // Once the citations have been checked, sentences without support are marked as well.
        page.locator('.turn[aria-busy=false] .chip:not(.unchecked)').waitFor(),
      );
      await page.locator('.chip').hover();
      await page.locator('.tip').waitFor();
      same(await page.locator('.tip img, .tip script').count(), 0, 'the number of elements in the quote');
      const hrefs: (string | null)[] = [];
      for (const link of await page.locator('.answer-text a').all()) hrefs.push(await link.getAttribute('href'));
      same(hrefs.join(' '), 'https://example.org/page', 'the links');
      await page.locator('.answer-text pre').filter({ hasText: '<script>' }).waitFor();
      await page.reload();
      await page.locator('.turn .chip').waitFor();
      same(await page.evaluate('String(window.hacked)'), 'undefined', 'what ran after the reload');
    },
    unprotected,
  );
}
