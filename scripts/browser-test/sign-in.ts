import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { startCuttingProxy } from './cutting-proxy.ts';
import { type PageModel, startPageModel } from './page-model.ts';
import { withServer } from './server.ts';
import { pauseInTheMiddle, showsBeginning, showsWholeAnswer } from './streams.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

interface Account {
  readonly email: string;
  readonly password: string;
}

const admin: Account = { email: 'captain@example.org', password: 'Lanterns-and-tides-1' };
const ada: Account = { email: 'ada@example.org', password: 'Harbour-of-Holm-22' };
const ben: Account = { email: 'ben@example.org', password: 'Blue-chest-ashore-33' };

/** The page of a service that requires sign-in. Answers are quotations, unless a question names the scripted model. */
export const signInSuite: BrowserSuite = {
  name: 'sign-in',
  async run(test) {
    const model = await startPageModel();
    const settings = {
      CITEWELL_AUTH: 'required',
      CITEWELL_ADMIN_EMAIL: admin.email,
      CITEWELL_ADMIN_PASSWORD: admin.password,
      CITEWELL_RATE_LIMITS: 'off',
      CITEWELL_PROVIDERS: model.settings['CITEWELL_PROVIDERS'] ?? '',
    };
    try {
      await withServer(settings, async ({ url }) => {
        for (const { email, password } of [ada, ben]) await register(url, email, password);
        const own = test.at(url);
        await checkSignIn(own);
        await checkCookies(own);
        await checkForeignPage(own);
        await checkSignOut(own);
        await checkTabs(own);
        await checkExpiry(own);
        await checkTwoExpired(own);
        await checkWithoutStorage(own);
        await checkStreams(own, model);
        await checkMember(own);
        await checkSeparation(own);
        await checkShortLink(own);
      });
    } finally {
      await model.close();
    }
  },
};

async function register(url: string, email: string, password: string): Promise<void> {
  const response = await fetch(`${url}/v3/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`${email} could not register: ${await response.text()}`);
}

async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function openAs(page: Page, account: Account, address: string): Promise<void> {
  await page.goto(address);
  await signIn(page, account);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
}

async function checkSignIn(test: BrowserTest): Promise<void> {
  await test.check('nothing is shown before the sign-in, which goes on at the same address', async (page) => {
    await page.goto(`${test.url}/library?title=rafts`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    same(await page.locator('main h1').count(), 1, 'the number of headings');
    const focused = (label: string) => page.locator(':focus').and(page.getByLabel(label)).waitFor();
    await focused('E-mail');
    await signIn(page, { ...ada, password: 'Wrong-guess-44' });
    await page.getByRole('alert').filter({ hasText: 'The e-mail address or the password is wrong.' }).waitFor();
    await focused('Password');
    await signIn(page, ada);
    await page.getByText('No document matches.').waitFor();
    same(page.url(), `${test.url}/library?title=rafts`, 'the address');
  });
}

async function checkShortLink(test: BrowserTest): Promise<void> {
  await test.check('a short link without a session leads to its passage after the sign-in', async (page) => {
    await openAs(page, ada, `${test.url}/settings`);
    const id: string = await page.evaluate(`fetch('/v3/documents', { method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ raw_text: 'The purser counts the lanterns.', run_with_orchestration: false }) })
      .then((response) => response.json()).then(({ results }) => results.document_id)`);
    await page.context().clearCookies();
    await page.goto(`${test.url}/d/${id.slice(0, 8)}:0`);
    await signIn(page, ada);
    await page.getByText('The purser counts the lanterns.').first().waitFor();
    same(page.url(), `${test.url}/d/${id}?q=0-31`, 'the address');
    await page.goto(`${test.url}/d/00000000:0`);
    await page.getByRole('alert').waitFor();
  });
}

async function checkCookies(test: BrowserTest): Promise<void> {
  await test.check('the session is in HttpOnly cookies that other sites do not send', async (page) => {
    await openAs(page, ada, `${test.url}/settings`);
    await page.getByText(`Signed in as ${ada.email}.`).waitFor();
    const cookies = await page.context().cookies([test.url, `${test.url}/session`]);
    same(cookies.length, 2, 'the number of cookies');
    for (const { name, httpOnly, sameSite } of cookies) same(`${httpOnly} ${sameSite}`, 'true Strict', name);
    same(await page.evaluate('document.cookie'), '', 'what scripts see');
    same(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'), '{}', 'what is stored besides');
  });
}

async function checkForeignPage(test: BrowserTest): Promise<void> {
  await test.check('requests of another page are refused, also with the cookies', async (page) => {
    const elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>
        <form action="${test.url}/v3/conversations" method="post" enctype="text/plain">
        <input name='{"name":"forged","x":"' value='"}'><button>Win</button></form>`);
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    try {
      await openAs(page, ada, `${test.url}/library`);
      const cookie = cookieText(await page.context().cookies());
      // Even a browser that sends the cookies with foreign requests states where the request comes from.
      const create = async (headers: Readonly<Record<string, string>>): Promise<number> =>
        (await fetch(`${test.url}/v3/conversations`, { method: 'POST', headers: { cookie, ...headers } })).status;
      same(await create({ 'sec-fetch-site': 'same-site' }), 401, 'the status from another port');
      same(await create({ 'sec-fetch-site': 'cross-site' }), 401, 'the status from another site');
      same(await create({ origin: 'http://127.0.0.1:1' }), 401, 'the status from another origin');
      same(await create({}), 401, 'the status from nowhere');
      await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
      const answered = page.waitForResponse(/\/v3\/conversations$/);
      await page.evaluate(`void fetch('${test.url}/v3/conversations', {
        method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"forged"}' })`);
      same((await answered).status(), 401, 'the status of a script');
      const posted = page.waitForResponse(/\/v3\/conversations$/);
      await page.getByRole('button', { name: 'Win' }).click();
      same((await posted).status(), 401, 'the status of a form');
      await page.goto(`${test.url}/`);
      await page.getByText('No conversations yet.').waitFor();
      same(await create({ 'sec-fetch-site': 'same-origin' }), 200, 'the status from the page itself');
      await page.reload();
      await page.getByRole('navigation', { name: 'Conversations' }).locator('li').first().waitFor();
    } finally {
      elsewhere.close();
    }
  });
}

const cookieText = (cookies: readonly { readonly name: string; readonly value: string }[]): string =>
  cookies.map(({ name, value }) => `${name}=${value}`).join('; ');

async function checkSignOut(test: BrowserTest): Promise<void> {
  await test.check('signing out ends the session also for copies of its cookies', async (page) => {
    await openAs(page, ada, `${test.url}/settings`);
    const cookies = await page.context().cookies();
    const statusWithCopy = async (): Promise<number> => {
      const response = await fetch(`${test.url}/v3/users/me`, {
        headers: {
          cookie: cookieText(cookies),
          'sec-fetch-site': 'same-origin',
        },
      });
      return response.status;
    };
    same(await statusWithCopy(), 200, 'the status with a copy before');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    same((await page.context().cookies([test.url, `${test.url}/session`])).length, 0, 'the number of cookies left');
    same(await statusWithCopy(), 401, 'the status with a copy after');
    await page.goto(`${test.url}/library`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
}

async function checkTabs(test: BrowserTest): Promise<void> {
  await test.check('all tabs of a browser sign out and in together', async (page) => {
    await openAs(page, ada, `${test.url}/settings`);
    const other = await page.context().newPage();
    await other.goto(`${test.url}/library`);
    await other.getByText('No documents yet.').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, ben);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
    await other.getByRole('link', { name: 'Settings' }).click();
    await other.getByText(`Signed in as ${ben.email}.`).waitFor();
  });
}

async function checkExpiry(test: BrowserTest): Promise<void> {
  await test.check('an expired access token is renewed without asking', async (page) => {
    await openAs(page, ada, `${test.url}/library`);
    await page.getByText('No documents yet.').first().waitFor();
    await page.context().clearCookies({ name: 'citewell_access' });
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('No document matches.').waitFor();
    same(await page.getByLabel('Password').count(), 0, 'the number of sign-in forms');
  });
  await test.check('a session that expires in the middle is signed in again at the same place', async (page) => {
    await openAs(page, ada, `${test.url}/library`);
    await page.getByText('No documents yet.').first().waitFor();
    await page.context().clearCookies();
    await page.getByLabel('State').selectOption('failed');
    await signIn(page, ada);
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
    await openAs(page, ada, `${test.url}/library`);
    const other = await page.context().newPage();
    await other.goto(`${test.url}/library`);
    let renewals = 0;
    for (const each of [page, other]) {
      await each.getByText('No documents yet.').first().waitFor();
      await each.route('**/session', async (route) => {
        renewals++;
        await new Promise((resolve) => setTimeout(resolve, 500));
        await route.continue();
      });
    }
    await page.context().clearCookies({ name: 'citewell_access' });
    const loaded = [page, other].map((each) =>
      each.waitForResponse((response) => /\/documents\?.*failed/.test(response.url()) && response.ok()),
    );
    await Promise.all([page, other].map((each) => each.getByLabel('State').selectOption('failed')));
    await Promise.all(loaded);
    same(renewals, 1, 'the number of renewals');
  });
  await test.check('a session that cannot be renewed without a connection is not over', async (page) => {
    await openAs(page, ada, `${test.url}/library`);
    await page.getByText('No documents yet.').first().waitFor();
    await page.context().clearCookies({ name: 'citewell_access' });
    await page.route('**/session', (route) => route.abort());
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('The server cannot be reached.').first().waitFor();
    await page.unroute('**/session');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).first().click();
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

async function checkMember(test: BrowserTest): Promise<void> {
  for (const view of ['', 'search?q=ferry', 'library', 'graph', 'quality', 'settings']) {
    await test.check(`/${view} is usable without administrator's rights`, async (page) => {
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 500) refused.push(response.url());
      });
      await openAs(page, ada, `${test.url}/${view}`);
      await page.locator('main h1').waitFor();
      await page.waitForLoadState('networkidle');
      same(await page.getByRole('alert').count(), 0, 'the number of errors');
      same(refused.join(), '', 'failed requests');
      if (view === 'settings') {
        same(await page.getByRole('heading', { name: 'Users' }).count(), 0, 'the number of user lists');
      }
    });
  }
  await test.check('the administrator sees the users in the settings', async (page) => {
    await openAs(page, admin, `${test.url}/settings`);
    await page.getByText(ada.email).waitFor();
    await page.getByText(ben.email).waitFor();
  });
}

async function checkSeparation(test: BrowserTest): Promise<void> {
  await test.check('two users in one tab do not see each other’s things', async (page) => {
    await openAs(page, ada, `${test.url}/library`);
    const note = {
      name: 'adas-note.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Ada\n\nThe key of the boat house is blue and hangs beside the door.'),
    };
    await page.getByTestId('files').setInputFiles(note);
    await page
      .locator('.documents')
      .getByRole('link', { name: /Ada|adas-note/ })
      .waitFor();
    const document = await page.locator('.documents td a').first().getAttribute('href');
    await page.goto(`${test.url}/?ask=Which+colour+is+the+key+of+the+boat+house`);
    await page.locator('.quote-card').filter({ hasText: 'The key of the boat house is blue' }).waitFor();
    await page.waitForURL(/conversation=/);
    const conversation = new URL(page.url()).searchParams.get('conversation');
    await page.context().clearCookies();
    await openAs(page, ada, `${test.url}/?conversation=${conversation}`);
    await page.locator('.quote-card').filter({ hasText: 'The key of the boat house is blue' }).waitFor();
    // Navigates by the page's links, so that its in-memory state survives.
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Library' }).click();
    await page.getByTestId('files').setInputFiles({ ...note, name: 'adas-second.md', buffer: Buffer.from('# Second') });
    await page.locator('.upload').filter({ hasText: /Ready/ }).waitFor();
    await navigation.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, ben);
    await page.getByText('No conversations yet.').waitFor();
    await navigation.getByRole('link', { name: 'Library' }).click();
    await page.getByText('No documents yet.').first().waitFor();
    holds(!(await page.locator('main').innerText()).includes('adas-second'), 'the uploads of before are gone');
    await navigation.getByRole('link', { name: 'Ask' }).click();
    await page.getByText('No conversations yet.').waitFor();
    // The same applies if a session expires and another user signs in.
    await navigation.getByRole('link', { name: 'Library' }).click();
    await page.getByTestId('files').setInputFiles({ ...note, name: 'bens-note.md', buffer: Buffer.from('# Ben') });
    await page.locator('.upload').filter({ hasText: /Ready/ }).waitFor();
    await page.context().clearCookies();
    // Uses the navigation, which is always visible: a background request may already have opened the sign-in.
    await navigation.getByRole('link', { name: 'Graph' }).click();
    await signIn(page, ada);
    await page.getByText('Which colour is the key of the boat house').first().waitFor();
    await navigation.getByRole('link', { name: 'Library' }).click();
    await page
      .locator('.documents')
      .getByRole('link', { name: /Ada|adas-note/ })
      .waitFor();
    holds(!(await page.locator('main').innerText()).includes('bens-note'), 'the uploads of before are gone');
    await page.context().clearCookies();
    await openAs(page, ben, `${test.url}/?conversation=${conversation}`);
    await page.getByText('This conversation no longer exists, or belongs to someone else.').waitFor();
    await page.goto(`${test.url}${document}`);
    await page.getByText('This document does not exist').waitFor();
    await page.goto(`${test.url}/search?q=boat+house`);
    await page.locator('.hit').filter({ hasText: 'Ben' }).waitFor();
    same(await page.locator('.hit').count(), 1, 'the number of passages found');
  });
}
