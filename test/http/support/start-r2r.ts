import { r2rClient } from 'r2r-js';
import { expect } from 'vitest';
import { describedAnswers } from './described-answers.ts';
import { startCitewell } from './start-citewell.ts';
import type { RunningHttp } from './start-http.ts';
import { watchAnswers } from './watch-answers.ts';

type Options = Parameters<typeof startCitewell>[0];

export interface R2rUser {
  readonly id: string;
  readonly client: r2rClient;
  /** Request headers that the client does not send itself. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The service for several users, with R2R's public client, unmodified. Closing it fails when a response did not conform
 * to the OpenAPI description.
 */
export interface RunningR2r extends RunningHttp {
  readonly admin: R2rUser;
  /** Registers a user and logs in. */
  newcomer(name: string): Promise<R2rUser>;
}

const PASSWORD = 'a long pass phrase';

export async function startR2r(options: Options = {}): Promise<RunningR2r> {
  // The client would read its credentials from this variable.
  delete process.env['R2R_API_KEY'];
  const watch = watchAnswers();
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
    async close() {
      watch.stop();
      await http.close();
      const { problemOf } = describedAnswers();
      const problems = watch.answers.flatMap((answer) => problemOf(answer) ?? []);
      expect([...new Set(problems)]).toEqual([]);
    },
  };
}

/** The rows of an export, as returned by this client. */
export async function rowsOf(exported: unknown): Promise<string[]> {
  const text = await (exported as Blob).text();
  return text.split('\r\n').slice(0, -1);
}
