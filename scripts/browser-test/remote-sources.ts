import type { Page } from 'playwright-core';
import { startBucket } from '../../test/support/bucket-server.ts';
import { withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

type Bucket = Awaited<ReturnType<typeof startBucket>>;

/** Following a bucket from the page: adding it, its first synchronisation, changing it, removing it. */
export const remoteSourcesSuite: BrowserSuite = {
  name: 'remote-sources',
  async run(test) {
    const objects = new Map([
      ['reports/otters.md', '# Otters\n\nOtters hold hands while they sleep.'],
      ['reports/herons.md', '# Herons\n\nHerons stand on one leg.'],
    ]);
    const bucket = await startBucket(objects);
    try {
      await withServer({ CITEWELL_ALLOW_HOSTS: `127.0.0.1:${bucket.port}` }, async ({ url }) => {
        await checkAdding(test.at(url), bucket);
        await checkChanging(test.at(url), bucket);
        await checkRemoving(test.at(url), bucket);
      });
    } finally {
      bucket.close();
    }
  },
};

const open = async (page: Page, test: BrowserTest) => {
  await page.goto(`${test.url}/library`);
  return page.locator('.followed-source').filter({ hasText: 's3://papers/reports/' });
};

async function checkAdding(test: BrowserTest, { endpoint }: Bucket): Promise<void> {
  await test.check('the form of a new source has the fields of each kind, and marks what is needed', async (page) => {
    await open(page, test);
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog');
    type Kind = { readonly kind: string; readonly fields: readonly { readonly is_required: boolean }[] };
    const kinds = await test.get<readonly Kind[]>('/sources/kinds');
    for (const { kind, fields } of kinds) {
      await dialog.getByLabel('Kind of source').selectOption(kind);
      const inputs = dialog.locator('.source-field input, .source-field textarea');
      same(await inputs.count(), fields.length, `the number of fields of ${kind}`);
      const needed = dialog.locator('.source-field :required');
      same(await needed.count(), fields.filter((each) => each.is_required).length, `the required fields of ${kind}`);
    }
  });
  await test.check(
    'a refusal of the server is said in its words, and nothing is lost of what was entered',
    async (page) => {
      await open(page, test);
      await page.getByRole('button', { name: 'Add a source' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Bucket').fill('No Such Bucket');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.getByRole('alert').getByText('A bucket’s name has 3 to 63 lower-case letters').waitFor();
      same(await dialog.getByLabel('Bucket').inputValue(), 'No Such Bucket', 'what was entered');
    },
  );
  await test.check('a bucket is added, and its first synchronisation shows in the list', async (page) => {
    const source = await open(page, test);
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Bucket').fill('papers');
    await dialog.getByLabel('Prefix').fill('reports/');
    await dialog.getByLabel('Endpoint').fill(endpoint);
    await dialog.getByLabel('Access key id').fill('RIGHT');
    const secret = dialog.getByLabel('Secret access key');
    same(await secret.getAttribute('type'), 'password', 'the type of the field for the secret');
    await secret.fill('secret');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await source.getByText('Done').waitFor();
    await source.getByText('2 added').waitFor();
    await source.getByText('Next synchronisation').waitFor();
    await page.locator('.documents').getByRole('link', { name: 'otters.md' }).waitFor();
  });
}

async function checkChanging(test: BrowserTest, bucket: Bucket): Promise<void> {
  await test.check('schedule and credentials are changed, and wrong ones are refused in words', async (page) => {
    const source = await open(page, test);
    await source.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    same(await dialog.getByLabel('Bucket').count(), 0, 'the fields of what is followed');
    await dialog.getByLabel('Synchronised').selectOption({ label: 'Only on request' });
    await dialog.getByLabel('Keep documents of deleted items').check();
    await dialog.getByLabel('Replace the stored credentials').check();
    await dialog.getByLabel('Access key id').fill('WRONG');
    await dialog.getByLabel('Secret access key').fill('secret');
    const save = dialog.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    const alert = dialog.getByRole('alert');
    await alert.getByText('Nothing was changed').waitFor();
    holds(!(await alert.innerText()).includes('--no-check'), 'the message names no option of another interface');
    await dialog.getByRole('button', { name: 'Save anyway' }).waitFor();
    bucket.state.key = 'NEW';
    await dialog.getByLabel('Access key id').fill('NEW');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    await source.getByText('2 unchanged').waitFor();
    await source.getByText('Synchronised only on request').waitFor();
    await source.getByRole('button', { name: 'Change' }).click();
    holds(await dialog.getByLabel('Keep documents of deleted items').isChecked(), 'the change is shown');
  });
}

async function checkRemoving(test: BrowserTest, bucket: Bucket): Promise<void> {
  await test.check('a source that refuses access says so, and can be synchronised again and removed', async (page) => {
    const source = await open(page, test);
    bucket.state.key = 'LATER';
    await source.getByRole('button', { name: 'Synchronise now' }).click();
    await source.getByText('Access refused').waitFor();
    bucket.state.key = 'NEW';
    await source.getByRole('button', { name: 'Try again' }).click();
    await source.getByText('2 unchanged').waitFor();
    await source.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await source.waitFor({ state: 'detached' });
    holds(await page.locator('.documents').getByRole('link', { name: 'otters.md' }).isVisible(), 'its documents stay');
  });
}
