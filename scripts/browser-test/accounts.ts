import type { Page } from 'playwright-core';

interface Account {
  readonly email: string;
  readonly password: string;
}

export const admin: Account = { email: 'captain@example.org', password: 'Lanterns-and-tides-1' };
export const ada: Account = { email: 'ada@example.org', password: 'Harbour-of-Holm-22' };
export const cleo: Account = { email: 'cleo@example.org', password: 'Seven-gulls-at-noon-66' };
export const ben: Account = { email: 'ben@example.org', password: 'Blue-chest-ashore-33' };

export async function register(url: string, email: string, password: string): Promise<void> {
  const response = await fetch(`${url}/v3/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`${email} could not register: ${await response.text()}`);
}

export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function openAs(page: Page, account: Account, address: string): Promise<void> {
  await page.goto(address);
  await signIn(page, account);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
}
