import type { Locator } from 'playwright-core';
import { NOWHERE } from './api.ts';
import { sample } from './sample.ts';
import { withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

/** Height of a line of text in pixels. */
const LINE = 25;

async function boxesOf(all: Locator) {
  const boxes = await Promise.all((await all.all()).map((each) => each.boundingBox()));
  const shown = boxes.filter((box) => box !== null);
  holds(shown.length > 0, 'there is something to measure');
  return shown;
}

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
    await test.check('a file dropped or pasted in another view is added to the library, which opens', async (page) => {
      for (const [kind, transfer] of [
        ['drop', 'dataTransfer'],
        ['paste', 'clipboardData'],
      ]) {
        await page.goto(`${test.url}/settings`);
        await page.getByRole('heading', { name: 'Users' }).waitFor();
        await page.evaluate(`(() => {
          const files = new DataTransfer();
          files.items.add(new File(['The ${kind} lamp burns.'], '${kind}-lamp.txt'));
          const init = { ${transfer}: files, bubbles: true, cancelable: true };
          const Kind = ${kind === 'drop' ? 'DragEvent' : 'ClipboardEvent'};
          if (document.body.dispatchEvent(new Kind('${kind}', init))) throw new Error('The page does not take it.');
        })()`);
        await page.waitForURL('**/library');
        await page
          .locator('.upload')
          .filter({ hasText: `${kind}-lamp.txt` })
          .filter({ hasText: 'Ready' })
          .waitFor();
        await page
          .locator('.documents')
          .getByRole('link', { name: `${kind}-lamp.txt` })
          .waitFor();
      }
    });
    await test.check(
      'on a phone, the ways to add documents take one line above the documents, and all of them can be used',
      async (page) => {
        await test.ingest(sample('fares.csv'));
        await page.goto(`${test.url}/library`);
        await page.locator('.documents').waitFor();
        const zone = page.locator('.drop-zone');
        const height = async () => (await zone.boundingBox())?.height ?? 0;
        holds((await height()) <= 70, `${await height()} px is the height of one line of buttons`);
        const folder = zone.getByRole('button', { name: 'Choose a folder' });
        holds(!(await folder.isVisible()), 'the rarer ways are hidden at first');
        const others = zone.getByRole('button', { name: 'Other ways to add' });
        await others.click();
        same(await others.getAttribute('aria-expanded'), 'true', 'what a screen reader is told');
        await folder.waitFor();
        await zone.getByRole('button', { name: 'Add a web address' }).click();
        await page.getByRole('dialog').getByRole('textbox', { name: 'Address' }).waitFor();
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    );
    await test.check('a collection that a slow server is creating is not created twice', async (page) => {
      const { promise: isLate, resolve: respond } = Promise.withResolvers<void>();
      await page.route('**/v3/collections', async (route) => {
        if (route.request().method() === 'POST') await isLate;
        await route.continue();
      });
      await page.goto(`${test.url}/library`);
      await page.getByRole('button', { name: 'New collection' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Created once');
      const create = dialog.getByRole('button', { name: 'Create' });
      await create.click();
      await create.and(page.locator('[aria-disabled=true]')).waitFor();
      await page.keyboard.press('Enter');
      respond();
      await dialog.waitFor({ state: 'detached' });
      type Named = readonly { readonly name: string }[];
      const found = (await test.get<Named>('/collections?limit=1000')).filter(({ name }) => name === 'Created once');
      same(found.length, 1, 'the number of collections of that name');
    });
    await test.check('a deletion shows its receipt', async (page) => {
      await test.ingestBytes('short-lived.md', '# Short lived\n\nNobody will miss this sentence.');
      await page.goto(`${test.url}/library?title=short`);
      await page.locator('.documents tbody input').first().check();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete permanently' }).click();
      await page.locator('.receipt').waitFor();
      holds((await page.locator('.receipt').innerText()).includes('Documents'), 'the receipt names the document');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByText('No document matches.').waitFor();
    });
    await test.check(
      'documents of another filter are awaited before the page says that there are none',
      async (page) => {
        await test.ingest(sample('fares.csv'));
        const { promise: isLate, resolve: respond } = Promise.withResolvers<void>();
        await page.goto(`${test.url}/library?title=nowhere-to-be-found`);
        const none = page.getByText('No document matches.');
        await none.waitFor();
        await page.route(/\/v3\/documents\?.*title=fares/, async (route) => {
          await isLate;
          await route.continue();
        });
        const asked = page.waitForRequest(/title=fares/);
        await page.getByLabel('Title contains').fill('fares');
        await asked;
        await page.locator('.library-list[aria-busy=true]').getByText('Loading…').waitFor();
        same(await none.count(), 0, 'statements that no document matches');
        respond();
        await page.locator('.library-list[aria-busy=false] .documents').waitFor();
      },
    );
    await test.check('a passage that was searched for opens at its exact characters', async (page) => {
      await test.ingest(sample('handbook.md'));
      await page.goto(`${test.url}/search?q=life+rafts`);
      // Selects the handbook: documents of other suites may be shown as originals instead of text.
      await page.locator('.hit a').filter({ hasText: 'handbook' }).first().click();
      await page.locator('.source-text mark').first().waitFor();
      holds(/\/d\/[0-9a-f-]+\?q=\d+-\d+$/.test(page.url()), `${page.url()} names the characters`);
    });
    await test.check('a search that takes a while is seen to', async (page) => {
      await test.ingest(sample('handbook.md'));
      let release = () => {};
      await page.route(/\/retrieval\/search/, async (request) => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        await request.continue();
      });
      const results = page.locator('.search-results');
      const search = async (words: string) => {
        await page.getByLabel('What to look for').fill(words);
        const asked = page.waitForRequest(/\/retrieval\/search/);
        await page.keyboard.press('Enter');
        await asked;
        await page.locator('.search-results[aria-busy=true]').waitFor();
      };
      await page.goto(`${test.url}/search`);
      await search('life rafts');
      await results.getByText('Loading…').waitFor();
      release();
      await page.locator('.search-results[aria-busy=false] .hit').first().waitFor();
      await search('weather');
      const opacity = await page.evaluate(`getComputedStyle(document.querySelector('.hits')).opacity`);
      same(opacity, '0.5', 'the opacity of the hits of the search before');
      release();
      await page.locator('.search-results[aria-busy=false] .hit').first().waitFor();
    });
    await test.check('a view that cannot be loaded says so, and is complete when it is loaded again', async (page) => {
      await page.goto(test.url);
      await page.getByLabel('Question').waitFor();
      await page.route(/library-view/, (request) => request.abort('connectionrefused'));
      await page.getByRole('link', { name: 'Library', exact: true }).click();
      await page.getByText('This part of the page could not be loaded.').waitFor();
      await page.unroute(/library-view/);
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await page.locator('.documents').waitFor();
      const collapse = await page.evaluate(`getComputedStyle(document.querySelector('.documents')).borderCollapse`);
      same(collapse, 'collapse', 'the style of the table, which the style sheet of the view sets');
    });
    await test.check('an address without a view leads back', async (page) => {
      const response = await page.goto(test.url + NOWHERE);
      same(response?.status(), 404, 'the status');
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      await page.getByRole('link', { name: 'Ask your documents' }).click();
      await page.getByLabel('Question').waitFor();
    });
    await test.check('screen readers hear of another view', async (page) => {
      await page.goto(`${test.url}/search`);
      await page.getByRole('link', { name: 'Library' }).click();
      await page.locator('[aria-live]').filter({ hasText: 'Library' }).waitFor({ state: 'attached' });
    });
    await test.check('the names of the views stay where they are when another one is opened', async (page) => {
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
      await page.goto(`${test.url}/search`);
      const placesOf = async () => (await boxesOf(links)).map(({ x }) => Math.round(x)).join();
      const before = await placesOf();
      await links.filter({ hasText: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      same(await placesOf(), before, 'the positions of the links');
    });
    await test.check(
      'tables and navigation keep words whole on a narrow screen',
      async (page) => {
        await page.goto(`${test.url}/library`);
        await page.locator('.state-name').first().waitFor();
        const navigation = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
        const tops = new Set((await boxesOf(navigation)).map(({ y }) => y));
        same(tops.size, 1, 'the number of lines of the navigation');
        for (const { height } of await boxesOf(page.locator('.state-name'))) {
          holds(height < 2 * LINE, `a state stands on one line (${height} pixels)`);
        }
        await page.goto(`${test.url}/graph?as=table`);
        await page.locator('.graph-name').first().waitFor();
        for (const { width } of await boxesOf(page.locator('.graph-table tbody th'))) {
          holds(width > 120, `there is room for names (${width} pixels)`);
        }
      },
      { viewport: { width: 360, height: 740 } },
    );
    await withServer({}, ({ url }) => checkAlone(test.at(url)));
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

/** Checks that need a service without other documents. */
async function checkAlone(test: BrowserTest): Promise<void> {
  await test.check('without documents, a search leads to the library', async (page) => {
    await page.goto(`${test.url}/search?q=ferry`);
    await page.getByText('No documents yet.').waitFor();
    same(await page.locator('.facets').count(), 0, 'the number of filter panels');
    await page.getByRole('link', { name: 'Add documents' }).click();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
  });
  await test.check('an empty library has nothing to filter, and an empty graph one form', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.getByText('No documents yet.').waitFor();
    same(await page.getByRole('search').count(), 0, 'the number of filter bars');
    await page.goto(`${test.url}/graph`);
    await page.getByText('The graph of this collection is empty.').waitFor();
    same(await page.getByRole('button', { name: 'Table' }).count(), 0, 'the number of buttons for a table');
  });
  await test.check('another attempt is offered only where it can help', async (page) => {
    await page.goto(`${test.url}/library`);
    const files = [{ name: 'torn.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nThis is none.') }];
    await page.getByTestId('files').setInputFiles(files);
    for (const place of ['.uploads .upload', '.documents tbody tr']) {
      const entry = page.locator(place).filter({ hasText: 'torn.pdf' });
      await entry.getByText('The same file would fail again').waitFor();
      same(await entry.getByRole('button').count(), 0, 'the number of buttons');
    }
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('1 document found').waitFor();
    same(await page.getByRole('button', { name: 'Try all failed again' }).count(), 0, 'the number of buttons for all');
  });
  await test.check('what keeps failed documents from being tried again is said', async (page) => {
    // The upload is refused, but the document is kept as failed.
    await test.ingestBytes('broken.pdf', '%PDF-1.7\nThis is none.').catch(() => undefined);
    await page.route(/\/v3\/documents\?/, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { results: object[] };
      const results = answer.results.map((each) => ({ ...each, failure_remedy: 'retry' }));
      await route.fulfill({ response, json: { ...answer, results } });
    });
    await page.goto(`${test.url}/library?state=failed&title=broken`);
    await page.route(/\/(retry-failed|tasks)/, (route) => route.abort());
    const unreachable = page.getByRole('alert').filter({ hasText: 'The server cannot be reached' });
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await unreachable.nth(0).waitFor();
    await page.getByRole('button', { name: 'Try all failed again' }).click();
    await unreachable.nth(1).waitFor();
  });
}
