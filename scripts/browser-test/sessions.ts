import type { Page } from 'playwright-core';
import { ada, admin, openAs, signIn } from './accounts.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import type { PageModel } from './page-model.ts';
import { pauseInTheMiddle, showsBeginning, showsWholeAnswer } from './streams.ts';
import { type BrowserTest, same } from './suite.ts';

/** What the page does when its session expires, cannot be renewed or cannot be remembered. */
export async function checkSessions(test: BrowserTest, model: PageModel): Promise<void> {
  await checkExpiry(test);
  await checkTwoExpired(test);
  await checkWithoutStorage(test);
  await checkStreams(test, model);
}

/** Waits until the failed documents are loaded. Filters are shown in an empty library only while they are used. */
const failedLoaded = (page: Page) =>
  page.waitForResponse((response) => /\/documents\?.*failed/.test(response.url()) && response.ok());

async function checkExpiry(test: BrowserTest): Promise<void> {
  await test.check('an expired access token is renewed without asking', async (page) => {
    await openAs(page, ada, `${test.url}/library?state=ready`);
    await page.getByText('No document matches.').waitFor();
    await page.context().clearCookies({ name: 'citewell_access' });
    const loaded = failedLoaded(page);
    await page.getByLabel('State').selectOption('failed');
    await loaded;
    await page.getByText('No document matches.').waitFor();
    same(await page.getByLabel('Password').count(), 0, 'the number of sign-in forms');
  });
  await test.check('a session that expires in the middle is signed in again at the same place', async (page) => {
    await openAs(page, ada, `${test.url}/library?state=ready`);
    await page.getByText('No document matches.').waitFor();
    await page.context().clearCookies();
    const loaded = failedLoaded(page);
    await page.getByLabel('State').selectOption('failed');
    await signIn(page, ada);
    await loaded;
    await page.getByText('No document matches.').waitFor();
    same(page.url(), `${test.url}/library?state=failed`, 'the address');
  });
  await test.check('a question asked after the session expired can be asked again', async (page) => {
    await openAs(page, ada, `${test.url}/`);
    await page.getByLabel('Question').fill('Who checks the life rafts?');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await signIn(page, ada);
    await page.getByText('Who checks the life rafts?').first().waitFor();
    same(await page.locator('.turn[aria-busy=true]').count(), 0, 'the number of answers awaited');
  });
}

async function checkTwoExpired(test: BrowserTest): Promise<void> {
  await test.check('two tabs whose session expires at once renew it once', async (page) => {
    await openAs(page, ada, `${test.url}/library?state=ready`);
    const other = await page.context().newPage();
    await other.goto(`${test.url}/library?state=ready`);
    let renewals = 0;
    for (const each of [page, other]) {
      await each.getByText('No document matches.').waitFor();
      await each.route('**/session', async (route) => {
        renewals++;
        await new Promise((resolve) => setTimeout(resolve, 500));
        await route.continue();
      });
    }
    await page.context().clearCookies({ name: 'citewell_access' });
    const loaded = [page, other].map(failedLoaded);
    await Promise.all([page, other].map((each) => each.getByLabel('State').selectOption('failed')));
    await Promise.all(loaded);
    same(renewals, 1, 'the number of renewals');
  });
  await test.check('a session that cannot be renewed without a connection is not over', async (page) => {
    await openAs(page, ada, `${test.url}/library?state=ready`);
    await page.getByText('No document matches.').waitFor();
    await page.context().clearCookies({ name: 'citewell_access' });
    await page.route('**/session', (route) => route.abort());
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('The server cannot be reached.').first().waitFor();
    await page.unroute('**/session');
    const loaded = failedLoaded(page);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).first().click();
    await loaded;
    await page.getByText('No document matches.').waitFor();
  });
  await test.check('what was being written is there after the sign-in, which has its own title', async (page) => {
    await openAs(page, ada, `${test.url}/`);
    await page.getByLabel('Question').fill('Who checks the');
    await page.context().clearCookies();
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('x');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    same(await page.title(), 'Sign in · Citewell', 'the title');
    await signIn(page, ada);
    await page.getByLabel('Question').waitFor();
    same(await page.getByLabel('Question').inputValue(), 'Who checks the', 'the question');
    same(await page.title(), 'Ask · Citewell', 'the title afterwards');
  });
}

async function checkWithoutStorage(test: BrowserTest): Promise<void> {
  await test.check('the page works where the browser blocks storage', async (page) => {
    await page.addInitScript(`{
      const blocked = { get() { throw new DOMException('Access is denied.', 'SecurityError'); } };
      for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, blocked);
      window.BroadcastChannel = function () { blocked.get(); };
    }`);
    await openAs(page, ada, `${test.url}/`);
    await page.getByLabel('Question').fill('Who checks the life rafts?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.turn[aria-busy=false]').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
}

/** A stream that breaks after the session expired is resumed, with a sign-in only if the session is not renewable. */
async function checkStreams(test: BrowserTest, model: PageModel): Promise<void> {
  for (const [title, lost] of [
    ['is renewed', { name: 'citewell_access' }],
    ['is over, and signed in again,', {}],
  ] as const) {
    await test.check(`an answer whose connection breaks when its session ${title} arrives whole`, async (page) => {
      const proxy = await startCuttingProxy(test.url);
      try {
        const continueModel = pauseInTheMiddle(model);
        await openAs(page, admin, `${proxy.url}/?model=scripted/writer`);
        await page.evaluate(`fetch('/v3/documents', { method: 'POST', headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ raw_text: 'The mate checks the life rafts.' }) }).then(({ status }) => status)`);
        await page.getByLabel('Question').fill('Who checks the life rafts?');
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        await showsBeginning(page);
        const resumed = page.waitForResponse(
          (response) => /\/runs\/[^/]+\/events/.test(response.url()) && response.ok(),
        );
        // Prevents an unhandled rejection: it is awaited later, and a step before that may fail.
        resumed.catch(() => undefined);
        await page.context().clearCookies(lost);
        proxy.cut();
        if (!('name' in lost)) await signIn(page, admin);
        await resumed;
        continueModel();
        await showsWholeAnswer(page);
        same(await page.getByLabel('Password').count(), 0, 'the number of sign-in forms');
      } finally {
        await proxy.close();
      }
    });
  }
}
