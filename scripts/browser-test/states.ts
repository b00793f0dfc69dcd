import type { Page } from 'playwright-core';
import { sample } from './sample.ts';

const VERDICTS = ['verbatim', 'close', 'elsewhere', 'not_found'];

/** A view in one of its states. */
export interface State {
  readonly name: string;
  readonly path: string;
  /** Brings the view into the state and waits until it is reached. */
  readonly open: (page: Page) => Promise<unknown>;
}

export const heading = (page: Page) => page.locator('main h1').first().waitFor();

/** Views of an empty service. */
export const emptyStates: readonly State[] = [
  { name: 'Ask without documents', path: '/', open: (page) => page.getByText('No documents yet').waitFor() },
  { name: 'Search without a query', path: '/search', open: heading },
  { name: 'an empty library', path: '/library', open: (page) => page.getByText('No documents yet.').waitFor() },
  { name: 'an empty graph', path: '/graph', open: (page) => page.getByText('The graph of this').waitFor() },
  { name: 'Quality without evaluations', path: '/quality', open: (page) => page.locator('.card').waitFor() },
  { name: 'an address without a view', path: '/?conversation=x', open: (page) => page.getByRole('alert').waitFor() },
];

/** Views with content, including what opens within them. */
export const filledStates = (id: string, query: string): readonly State[] => [
  {
    name: 'an answer with all verdicts',
    path: `/?ask=${query}`,
    async open(page) {
      for (const verdict of VERDICTS) await page.locator(`.chip.${verdict}`).first().waitFor();
    },
  },
  {
    name: 'a source beside the answer',
    path: `/?ask=${query}`,
    async open(page) {
      await page.locator('.chip.verbatim').first().click();
      await page.locator('.source-side mark').first().waitFor();
    },
  },
  {
    name: 'the quote of a citation',
    path: `/?ask=${query}`,
    async open(page) {
      await page.locator('.chip.verbatim').first().focus();
      await page.locator('.tip').waitFor();
    },
  },
  {
    name: 'scope and actions of a conversation',
    path: '/',
    async open(page) {
      await page.getByText('Scope and model').click();
      const list = page.locator('details.side');
      if ((await list.getAttribute('open')) === null) await list.locator('summary').first().click();
      const row = page.locator('.conversations li').first();
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Delete' }).click();
      await row.getByRole('alertdialog').waitFor();
    },
  },
  { name: 'found passages', path: '/search?q=ferry', open: (page) => page.locator('.hit').first().waitFor() },
  {
    name: 'the library with uploads and a selection',
    path: '/library',
    async open(page) {
      await page.getByTestId('files').setInputFiles([sample('fares.csv')]);
      await page
        .locator('.upload')
        .filter({ hasText: /Ready|Already/ })
        .waitFor();
      await page.locator('.documents tbody input').first().check();
      await page.locator('.selection').waitFor();
    },
  },
  {
    name: 'the question before a deletion',
    path: '/library',
    async open(page) {
      await page.locator('.documents tbody input').first().check();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the form of a new collection',
    path: '/library',
    async open(page) {
      await page.getByRole('button', { name: 'New collection' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the form of a new source',
    path: '/library',
    async open(page) {
      // On a phone, the rarer ways are hidden at first.
      const others = page.getByRole('button', { name: 'Other ways to add' });
      await page.locator('.documents').waitFor();
      if (await others.isVisible()) await others.click();
      await page.getByRole('button', { name: 'Add a source' }).click();
      await page.getByLabel('Kind of source').selectOption('imap');
      await page.getByRole('textbox', { name: 'Password' }).waitFor();
    },
  },
  {
    name: 'the drawn graph',
    path: '/graph',
    open: (page) => page.locator('.graph-main canvas, .graph-main .notice').first().waitFor({ state: 'attached' }),
  },
  {
    name: 'the communities of the graph',
    path: '/graph',
    async open(page) {
      const legend = page.locator('.graph-legend');
      const find = page.getByRole('button', { name: 'Find communities' });
      await legend.or(find).waitFor();
      // The communities still exist when the second width is tested.
      if (await find.isVisible()) await find.click();
      await legend.waitFor();
    },
  },
  {
    name: 'an entity of the graph',
    path: '/graph?as=table',
    async open(page) {
      await page.locator('.graph-table button').first().click();
      await page.locator('.graph-panel').waitFor();
    },
  },
  {
    name: 'the settings',
    path: '/settings',
    open: (page) => page.getByRole('heading', { name: 'Users' }).waitFor(),
  },
  {
    name: 'a new key',
    path: '/settings',
    async open(page) {
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  ...['original', 'text', 'versions', 'details'].map((tab) => ({
    name: `a document, ${tab}`,
    path: `/d/${id}?q=30-134&tab=${tab}`,
    open: (page: Page) => page.getByRole('tab', { selected: true }).waitFor(),
  })),
];
