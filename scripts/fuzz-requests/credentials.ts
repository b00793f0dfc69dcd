import { member } from '../kill-test/api.ts';
import { PASSWORD } from './owner.ts';

/** The ordinary user whose credentials requests carry. */
export interface Credentials {
  token(): string;
  key(): string;
  /** Gets new credentials after the old ones became invalid: requests log out, change passwords and delete users. */
  renew(): Promise<void>;
}

export async function createCredentials(url: string): Promise<Credentials> {
  let count = 0;
  let token = '';
  let key = '';
  let renewing: Promise<void> | undefined;
  const call = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/v3${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    return member(await response.json(), 'results');
  };
  const signInAgain = async (): Promise<void> => {
    token = '';
    const email = `user${++count}@example.org`;
    const id = member(await call('/users', { email, password: PASSWORD }), 'id');
    const tokens = await call('/users/login', { username: email, password: PASSWORD });
    token = String(member(member(tokens, 'access_token'), 'token'));
    key = String(member(await call(`/users/${id}/api-keys`, { name: 'all day' }), 'api_key'));
  };
  await signInAgain();
  return {
    token: () => token,
    key: () => key,
    async renew() {
      renewing ??= signInAgain().finally(() => {
        renewing = undefined;
      });
      await renewing;
    },
  };
}
