import { r2rClient } from 'r2r-js';
import { startCitewell } from './start-citewell.ts';
import type { RunningHttp } from './start-http.ts';

type Options = Parameters<typeof startCitewell>[0];

export interface R2rUser {
  readonly id: string;
  readonly client: r2rClient;
  /** Headers of what the client does not send. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The service for several users, with the public client of R2R, unchanged. */
export interface RunningR2r extends RunningHttp {
  readonly admin: R2rUser;
  /** Registers and logs in. */
  newcomer(name: string): Promise<R2rUser>;
}

const PASSWORD = 'a long pass phrase';

export async function startR2r(options: Options = {}): Promise<RunningR2r> {
  // The client would take its credentials from here.
  delete process.env['R2R_API_KEY'];
  const http = await startCitewell({ isRequired: true, hasTestAdmin: true, ...options });
  const logIn = async (email: string, password: string): Promise<R2rUser> => {
    const client = new r2rClient(http.url);
    const { results } = await client.users.login({ email, password });
    const { id } = (await client.users.me()).results;
    return { id, client, headers: { authorization: `Bearer ${results.accessToken.token}` } };
  };
  return {
    ...http,
    admin: await logIn('admin@example.com', 'change_me_immediately'),
    async newcomer(name) {
      const email = `${name}@example.org`;
      await new r2rClient(http.url).users.create({ email, password: PASSWORD });
      return logIn(email, PASSWORD);
    },
  };
}

/** The rows of an export, as this client hands it over. */
export async function rowsOf(exported: unknown): Promise<string[]> {
  const text = await (exported as Blob).text();
  return text.split('\r\n').slice(0, -1);
}
