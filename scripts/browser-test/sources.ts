import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { withFolder, withServer } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/guide/': 'Moorings <a href="buoys">buoys</a> <a href="gone">gone</a>',
  '/guide/buoys': 'Buoys',
};

/** Adding web addresses and watching folders, with a service that may reach a local site and a folder. */
export const sourcesSuite: BrowserSuite = {
  name: 'sources',
  async run(test) {
    const site = createServer((request, response) => {
      const words = PAGES[request.url ?? ''];
      if (words === undefined) return response.writeHead(404).end();
      const text = `<title>${words.split(' ')[0]}</title><main><h1>${words}</h1><p>The harbour master keeps them in order, every spring and every autumn.</p></main>`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(text);
      return response;
    });
    await new Promise<void>((ready) => {
      site.listen(0, '127.0.0.1', ready);
    });
    const { port } = site.address() as AddressInfo;
    try {
      await withFolder((folder) =>
        withServer({ CITEWELL_ALLOW_HOSTS: `127.0.0.1:${port}`, CITEWELL_ALLOW_FOLDERS: folder }, async ({ url }) => {
          await checkAddresses(test.at(url), `http://127.0.0.1:${port}`);
          await checkFolder(test.at(url), folder);
        }),
      );
    } finally {
      site.close().closeAllConnections();
    }
  },
};

async function checkAddresses(test: BrowserTest, site: string): Promise<void> {
  await test.check(
    'a page is added by its address, and one that is missing says why and can be retried',
    async (page) => {
      await page.goto(`${test.url}/library`);
      for (const path of ['/guide/buoys', '/guide/gone']) {
        await page.getByRole('button', { name: 'Add a web address' }).click();
        await page.getByRole('textbox', { name: 'Address' }).fill(site + path);
        await page.getByRole('button', { name: 'Add', exact: true }).click();
      }
      await page.locator('.upload-ready').filter({ hasText: '/guide/buoys' }).waitFor();
      const failed = page.locator('.upload-failed').filter({ hasText: '/guide/gone' });
      await failed.getByText('status 404').waitFor();
      await failed.getByRole('button', { name: 'again' }).click();
      await failed.getByText('status 404').waitFor();
      await page.locator('.documents').getByRole('link').filter({ hasText: 'buoys' }).first().waitFor();
    },
  );
  await test.check('a wrong address is refused before anything is sent', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.getByRole('button', { name: 'Add a web address' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('ftp://example.org/');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Enter an address that begins with').waitFor();
  });
  await test.check(
    'a site that cannot be read now is refused in plain words, and can be added anyway',
    async (page) => {
      await page.goto(`${test.url}/library`);
      await page.getByRole('button', { name: 'Add a web address' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Address' }).fill(`${site}/guide/gone`);
      await dialog.getByLabel('Also the pages it links to').check();
      same(await dialog.getByRole('button', { name: 'Add anyway' }).count(), 0, 'the ways around the check at first');
      await dialog.getByLabel('Maximum number of pages').press('Enter');
      const words = await dialog.getByRole('alert').innerText();
      holds(words.includes('could not be read') && words.includes('404'), `“${words}” says why`);
      holds(!/--|"check"/.test(words), `“${words}” names no option of another interface`);
      // Enter checks it again.
      const checked = page.waitForResponse(/sources$/);
      await dialog.getByLabel('Maximum number of pages').press('Enter');
      same((await checked).status(), 502, 'the status after Enter');
      await dialog.getByRole('button', { name: 'Add anyway' }).click();
      await dialog.waitFor({ state: 'detached' });
      const source = page.locator('.followed-source').filter({ hasText: `${site}/guide/gone` });
      await source.getByRole('button', { name: 'Try again' }).waitFor();
      await source.getByRole('button', { name: 'Remove' }).click();
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await source.waitFor({ state: 'detached' });
    },
  );
  await test.check('the pages a site links to are added, with their failures', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.getByRole('button', { name: 'Add a web address' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${site}/guide/`);
    await page.getByLabel('Also the pages it links to').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const source = page.locator('.followed-source').filter({ hasText: `${site}/guide/` });
    await source.getByText('Done').waitFor();
    await source.getByText('1 added, 1 unchanged, 1 failed').or(source.getByText('1 failed')).waitFor();
    await source.getByText('status 404').waitFor();
    await source.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Link depth').fill('0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await source.getByText('Done').waitFor();
    await source.getByRole('button', { name: 'Change' }).click();
    same(await dialog.getByLabel('Link depth').inputValue(), '0', 'the depth that is shown');
  });
}

async function checkFolder(test: BrowserTest, folder: string): Promise<void> {
  const watched = join(folder, 'logbook');
  await mkdir(watched);
  await writeFile(join(watched, 'monday.md'), '# Monday\n\nCalm, and one seal.');
  await test.check('a folder is watched, and its new files appear by themselves', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.getByRole('button', { name: 'Watch a folder' }).click();
    await page.getByLabel('Path').fill('/etc');
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByText('is not below a folder that may be followed').waitFor();
    await page.getByLabel('Path').fill(watched);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    const source = page.locator('.followed-source').filter({ hasText: watched });
    await source.getByText('Watched', { exact: true }).waitFor();
    await page.locator('.documents').getByRole('link', { name: 'monday.md' }).waitFor();
    await writeFile(join(watched, 'tuesday.md'), '# Tuesday\n\nFog until noon.');
    await source.getByText('2 added').waitFor();
    await page.locator('.documents').getByRole('link', { name: 'tuesday.md' }).waitFor();
    const dialog = page.getByRole('dialog');
    const keeps = dialog.getByLabel('Keep documents whose files are deleted');
    await source.getByRole('button', { name: 'Change' }).click();
    await keeps.check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await source.getByText('Watched', { exact: true }).waitFor();
    await source.getByRole('button', { name: 'Change' }).click();
    holds(await keeps.isChecked(), 'the change is kept');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await source.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await source.waitFor({ state: 'detached' });
    holds(await page.locator('.documents').getByRole('link', { name: 'monday.md' }).isVisible(), 'its documents stay');
  });
}
