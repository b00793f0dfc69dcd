import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';

const PASSWORD = 'a long pass phrase';
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-users-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

const users = (args: readonly string[], input?: string) =>
  runCitewell(['users', ...args], { cwd, ...(input !== undefined && { input }) });

it('creates the first admin without a server, and prints no password', async () => {
  const made = await users(['create-admin', '--email', 'Ada@Example.org', '--password-stdin'], `${PASSWORD}\n`);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('ada@example.org is an administrator now') });
  expect(made.stdout + made.stderr).not.toContain(PASSWORD);
  const own = await users(['create-admin', '--email', 'admin@example.com', '--password-stdin'], PASSWORD);
  expect(own).toMatchObject({ code: 0, stdout: expect.stringContaining('admin@example.com is an administrator now') });
  const again = await users(['create-admin', '--email', 'admin@example.com', '--password-stdin'], PASSWORD);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
  // Before anybody is asked for a password.
  const misspelt = await users(['create-admin', '--email', 'eve']);
  expect([misspelt.code, misspelt.stderr]).toEqual([2, expect.stringContaining('not an e-mail address')]);
  const nobody = await users(['create-admin', '--email', 'eve@example.org']);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('--password-stdin')]);
});

it.each([
  [{ CITEWELL_HOST: '0.0.0.0' }, /CITEWELL_HOST: .*Set CITEWELL_AUTH=required/],
  [{ CITEWELL_HOST: '0.0.0.0', CITEWELL_AUTH: 'off' }, /CITEWELL_HOST: .*Set CITEWELL_AUTH=required/],
  [
    { CITEWELL_HOST: '0.0.0.0', CITEWELL_AUTH: 'required', CITEWELL_R2R_TEST_ADMIN: '1' },
    /CITEWELL_R2R_TEST_ADMIN: .*publicly known/,
  ],
])('does not serve with %j, and gives reason and remedy', async (env, why) => {
  const { code, stdout, stderr } = await runCitewell(['serve', '--port', '0'], { cwd, env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(why);
});

describe('beside a server that other machines can reach', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startCitewell({ cwd, env: { CITEWELL_HOST: '0.0.0.0', CITEWELL_AUTH: 'required' } });
  });
  afterAll(() => server.kill());

  const login = async (password: string, username = 'ada@example.org') =>
    (
      await fetch(`${server.url}/v3/users/login`, {
        method: 'POST',
        body: new URLSearchParams({ username, password }),
      })
    ).status;

  it('manages its users', async () => {
    expect((await fetch(`${server.url}/v3/documents`)).status).toBe(401);
    expect([await login(PASSWORD), await login(PASSWORD, 'admin@example.com')]).toEqual([200, 200]);
    expect((await users(['deactivate', 'ada@example.org'])).stdout).toContain('is deactivated');
    expect(await login(PASSWORD)).toBe(401);
    await users(['activate', 'ada@example.org']);
    expect((await users(['set-password', 'ada@example.org', '--password-stdin'], 'another phrase')).code).toBe(0);
    expect([await login(PASSWORD), await login('another phrase')]).toEqual([401, 200]);
    const code = (await users(['code', 'ada@example.org'])).stdout.trim();
    const reset = await fetch(`${server.url}/v3/users/reset-password`, {
      method: 'POST',
      body: JSON.stringify({ reset_token: code, new_password: PASSWORD }),
    });
    expect([reset.status, await login(PASSWORD)]).toEqual([200, 200]);
    expect(JSON.parse((await users(['list', '--json'])).stdout)).toMatchObject({ total: 2 });
    expect((await users(['delete', 'ada@example.org'])).stdout).toContain('Deleted ada@example.org');
    const missing = await users(['verify', 'ada@example.org']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no user')]);
  });
});
