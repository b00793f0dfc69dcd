import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const MAX_STEPS = 120;

/** A complete visit with the keyboard only. */
export const keyboardSuite: BrowserSuite = {
  name: 'keyboard',
  run: (test) =>
    withServer({}, async ({ url }) => {
      const own = test.at(url);
      await own.ingest(fileURLToPath(new URL('../samples/handbook.md', import.meta.url)));
      await own.ingest(fileURLToPath(new URL('../samples/timetable.html', import.meta.url)));
      await checkSkipLink(own);
      await checkAsk(own);
      await checkConversation(own);
      await checkLibrary(own);
      await checkCollections(own);
      await checkDialogs(own);
      await checkSearch(own);
      await checkSource(own);
      await checkGraph(own);
      await checkSettings(own);
    }),
};

/** Presses Tab until the target has the focus, and checks that the focus is visible at every step. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step++) {
    await page.keyboard.press(key);
    const shown = await settledFocus(page);
    if (shown !== null) holds(shown.isVisible, `the focus is visible on ${shown.what}`);
    const focused = page.locator(':focus');
    if ((await focused.and(target).count()) > 0) return;
  }
  throw new Error(`${target} cannot be reached with ${key}`);
}

interface Focused {
  readonly what: string;
  readonly isVisible: boolean;
}

/** The focused element, once late content no longer moves it out of sight. */
async function settledFocus(page: Page): Promise<Focused | null> {
  const read = async () => (await page.evaluate(FOCUS)) as Focused | null;
  let shown = await read();
  for (const deadline = Date.now() + 2_000; shown?.isVisible === false && Date.now() < deadline; shown = await read()) {
    await page.waitForTimeout(50);
  }
  return shown;
}

/** The focused element, and whether its outline or that of its label is in sight; null if nothing has the focus. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const outlined = [element, element.closest('label'), element.nextElementSibling, element.parentElement].filter((each) => {
    if (each === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  });
  const isInSight = outlined.some((each) => {
    const { width, height, right, bottom, left, top } = each.getBoundingClientRect();
    return width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  });
  return { what: element.outerHTML.slice(0, 120), isVisible: isInSight };
})()`;

const navigation = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

async function checkSkipLink(test: BrowserTest): Promise<void> {
  await test.check('the first key leads past the navigation', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.locator('.documents').waitFor();
    await page.keyboard.press('Tab');
    same(await page.locator(':focus').innerText(), 'Skip to content', 'what has the focus');
    const box = await page.locator(':focus').boundingBox();
    holds(box !== null && box.x >= 0 && box.y >= 0, 'the link is in sight');
    await page.keyboard.press('Enter');
    same(await page.locator(':focus').getAttribute('id'), 'view', 'what has the focus then');
    await tabTo(page, page.getByRole('button', { name: 'Choose files' }));
  });
}

async function checkAsk(test: BrowserTest): Promise<void> {
  await test.check('a question is asked, its citations stepped through, a source opened and left', async (page) => {
    await page.goto(test.url);
    await tabTo(page, page.getByLabel('Question'));
    for (const [index, question] of ['Who checks the life rafts?', 'Where do dogs travel?'].entries()) {
      await page.keyboard.type(question);
      await page.keyboard.press('Enter');
      await page.locator('.turn').nth(index).locator('.quote-card').first().waitFor();
      await page.getByLabel('Question').and(page.locator(':focus')).waitFor();
    }
    await tabTo(page, page.locator('[data-cite]').last(), 'Shift+Tab');
    const ids: (string | null)[] = [];
    for (const chip of await page.locator('[data-cite]').all()) ids.push(await chip.getAttribute('id'));
    const focused = () => page.locator(':focus').getAttribute('id');
    const total = ids.length;
    holds(total > 1, 'there are several citations');
    await page.keyboard.press('k');
    same(await focused(), ids[total - 2], 'the citation after k');
    await page.keyboard.press('j');
    same(await focused(), ids[total - 1], 'the citation after j');
    await page.keyboard.press('Enter');
    await page.locator('.source-text mark').first().waitFor();
    await page.locator('.source-side :focus').waitFor();
    await page.keyboard.press('k');
    await page.getByText(`Citation ${total - 1} of ${total}`).waitFor();
    await tabTo(page, page.locator('.source-side').getByRole('button', { name: 'Next', exact: true }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText(`Citation ${total} of ${total}`).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.source-side').waitFor({ state: 'detached' });
    await page.locator(`[id="${ids[total - 1]}"]:focus`).waitFor();
  });
}

async function checkConversation(test: BrowserTest): Promise<void> {
  await test.check('a conversation is renamed and deleted, and the focus stays in the list', async (page) => {
    await page.goto(test.url);
    const row = page.locator('.conversations li').first();
    await row.waitFor();
    await tabTo(page, row.locator('summary'));
    await page.keyboard.press('Enter');
    await tabTo(page, row.getByRole('button', { name: 'Rename' }));
    await page.keyboard.press('Enter');
    await row.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await row.locator(':focus').waitFor();
    await tabTo(page, row.locator('summary'));
    await page.keyboard.press('Enter');
    await tabTo(page, row.getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await row.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('alertdialog').waitFor({ state: 'detached' });
    await row.locator(':focus').waitFor();
  });
}

async function checkLibrary(test: BrowserTest): Promise<void> {
  await test.check('a file is added, selected and deleted', async (page) => {
    // With a listener, the browser hands file dialogs over to the test. This takes a moment, so it is registered early.
    page.on('filechooser', () => undefined);
    await page.goto(test.url);
    await tabTo(page, navigation(page, 'Library'));
    await page.keyboard.press('Enter');
    await page.locator('.documents').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Choose files' }));
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Space');
    const buffer = Buffer.from('# Short lived\n\nNobody will miss this sentence.');
    await (await chooser).setFiles({ name: 'short.md', mimeType: 'text/markdown', buffer });
    const row = page.locator('.documents tr').filter({ hasText: /short/i });
    await row.waitFor();
    await tabTo(page, row.locator('input'));
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Delete…' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByRole('button', { name: 'Delete permanently' }));
    await page.keyboard.press('Enter');
    await page.locator('.receipt').waitFor();
    await page.keyboard.press('Escape');
    await row.waitFor({ state: 'detached' });
    await page.locator('main :focus, main:focus').waitFor();
  });
}

async function checkCollections(test: BrowserTest): Promise<void> {
  await test.check('the last collection of the list is chosen with the arrow keys', async (page) => {
    for (const name of ['Aft', 'Bow']) {
      const headers = { 'content-type': 'application/json' };
      await fetch(`${test.url}/v3/collections`, { method: 'POST', headers, body: JSON.stringify({ name }) });
    }
    await page.goto(`${test.url}/library`);
    await page.locator('.documents tbody input').first().check();
    const choice = page.getByRole('combobox', { name: 'Add to collection…' });
    await choice.focus();
    await page.keyboard.press('B');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByRole('button', { name: 'Add', exact: true }));
    await page.keyboard.press('Enter');
    await choice.waitFor({ state: 'detached' });
    same(await page.locator(':focus').getAttribute('id'), 'view', 'what has the focus then');
    const collections = await test.get<readonly { name: string; document_count: number }[]>('/collections');
    const counts = collections.map(({ name, document_count: count }) => `${name} ${count}`);
    holds(
      counts.includes('Aft 0') && counts.includes('Bow 1'),
      `only the chosen one got a document (${counts.join()})`,
    );
  });
}

async function checkDialogs(test: BrowserTest): Promise<void> {
  await test.check('a dialog holds the focus, and Escape returns it', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.locator('.documents').waitFor();
    const opener = page.getByRole('button', { name: 'New collection' });
    await tabTo(page, opener);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor();
    for (let step = 0; step < 10; step++) {
      await page.keyboard.press('Tab');
      const isBehind = await page.evaluate(
        'document.activeElement.closest("main") !== null && document.activeElement.closest("dialog") === null',
      );
      same(isBehind, false, 'whether the focus is behind the dialog');
    }
    // Tab also leads through the browser's own controls, where the page does not receive Escape.
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Escape');
    // Waits for the removal, not only for closing: until then the page treats the dialog as open.
    await page.locator('dialog').waitFor({ state: 'detached' });
    await opener.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, page.getByRole('dialog').getByLabel('Name'));
    await page.keyboard.type('Harbour');
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.waitForURL(/collection=/);
    await opener.and(page.locator(':focus')).waitFor();
  });
}

async function checkSearch(test: BrowserTest): Promise<void> {
  await test.check('a search is filtered, and a passage opened', async (page) => {
    await page.goto(`${test.url}/search`);
    await tabTo(page, page.getByLabel('What to look for'));
    await page.keyboard.type('ferry');
    await page.keyboard.press('Enter');
    await page.locator('.hit').first().waitFor();
    const facet = page.getByRole('button', { name: /^md / });
    await tabTo(page, facet);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^md /, pressed: true }).and(page.locator(':focus')).waitFor();
    await page.locator('.hit').filter({ hasText: 'timetable.html' }).first().waitFor({ state: 'detached' });
    await tabTo(page, page.locator('.hit a').first());
    await page.keyboard.press('Enter');
    await page.locator('.source-text mark').first().waitFor();
  });
}

async function checkSource(test: BrowserTest): Promise<void> {
  await test.check('the tabs of a document are stepped through with the arrows', async (page) => {
    const id = await test.ingest(fileURLToPath(new URL('../samples/timetable.html', import.meta.url)));
    await page.goto(`${test.url}/d/${id}`);
    await page.getByRole('tab').first().waitFor();
    await tabTo(page, page.getByRole('tab', { selected: true }));
    const before = await page.locator(':focus').innerText();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { selected: true }).and(page.locator(':focus')).waitFor();
    holds((await page.locator(':focus').innerText()) !== before, 'another tab is shown');
    await page.keyboard.press('ArrowLeft');
    same(await page.locator(':focus').innerText(), before, 'the tab after going back');
  });
}

async function checkGraph(test: BrowserTest): Promise<void> {
  await test.check('an entity of the graph is opened, and closing returns to it', async (page) => {
    await page.goto(`${test.url}/graph?as=table`);
    const entity = page.locator('.graph-table button').first();
    await entity.waitFor();
    await tabTo(page, entity);
    await page.keyboard.press('Enter');
    await page.locator('.graph-panel :focus').waitFor();
    await tabTo(page, page.locator('.graph-panel').getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Enter');
    await page.locator('.graph-panel').waitFor({ state: 'detached' });
    await entity.and(page.locator(':focus')).waitFor();
  });
  await test.check('an entity is opened from the drawing by its name, and left with Escape', async (page) => {
    await page.goto(`${test.url}/graph`);
    const finder = page.getByLabel('Find an entity');
    await finder.waitFor();
    const name = await page.locator('.graph-finder option').first().getAttribute('value');
    holds(name !== null && name !== '', 'there is an entity');
    await tabTo(page, finder);
    await page.keyboard.type(name?.toUpperCase() ?? '');
    await page.keyboard.press('Enter');
    await page
      .locator('.graph-panel h2:focus')
      .filter({ hasText: name ?? '' })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.graph-panel').waitFor({ state: 'detached' });
    await finder.and(page.locator(':focus')).waitFor();
    // What can scroll is a stop of the keyboard.
    const overflow = await page.evaluate(`getComputedStyle(document.querySelector('.graph-main')).overflowX`);
    same(overflow, 'visible', 'the overflow of the drawing');
  });
}

async function checkSettings(test: BrowserTest): Promise<void> {
  await test.check('a key is made and deleted in the settings', async (page) => {
    await page.goto(`${test.url}/settings`);
    const field = page.getByLabel('What the key is for');
    await field.waitFor();
    // Responses that are still loading would move the content below them.
    await page.waitForLoadState('networkidle');
    await tabTo(page, field);
    await page.keyboard.type('Harbour radio');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await field.and(page.locator(':focus')).waitFor();
    const row = page.locator('li').filter({ hasText: 'Harbour radio' });
    await tabTo(page, row.getByRole('button', { name: 'Delete' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
  });
}
