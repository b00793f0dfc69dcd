import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ada, admin, ben, cleo, openAs, register, signIn } from './accounts.ts';
import { startPageModel } from './page-model.ts';
import { withServer } from './server.ts';
import { checkSessions } from './sessions.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

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
        await checkSessions(own, model);
        await checkMember(own);
        await checkSeparation(own);
        await checkPassword(own);
        await checkShortLink(own);
      });
    } finally {
      await model.close();
    }
  },
};

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

async function checkPassword(test: BrowserTest): Promise<void> {
  await test.check('a changed password leaves API keys valid, which the page says and deletes', async (page) => {
    await register(test.url, cleo.email, cleo.password);
    await openAs(page, cleo, `${test.url}/settings`);
    const statusOf = async (key: string) =>
      (await fetch(`${test.url}/v3/users/me`, { headers: { 'x-api-key': key } })).status;
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = (await page.getByRole('dialog').locator('.snippet').innerText()).trim();
    await page.keyboard.press('Escape');
    const change = async (current: string) => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password').fill('Tidewater-lamps-55');
      await page.getByRole('button', { name: 'Change the password' }).click();
    };
    await change('Wrong-guess-44');
    await page.getByRole('alert').filter({ hasText: 'Incorrect current password' }).waitFor();
    await change(cleo.password);
    await page.getByText('Your API key still works').waitFor();
    same(await statusOf(key), 200, 'the status of a request with the key');
    await page.getByRole('button', { name: 'Delete the key' }).click();
    await page.getByText('No API key is valid any longer.').waitFor();
    await page.getByText('You have no keys yet.').waitFor();
    same(await statusOf(key), 401, 'the status of a request with the deleted key');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...cleo, password: 'Tidewater-lamps-55' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
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
