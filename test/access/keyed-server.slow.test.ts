import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { chatReply, startFakeOpenAi } from '../support/fake-openai.ts';
import { startIssuer } from '../support/oauth-issuer.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';

const KEY = 'correct-horse-battery';

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-keyed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

async function start(env: Readonly<Record<string, string>>) {
  const server = await startCitewell({ cwd: await ownFolder(), env });
  onTestFinished(() => server.kill());
  return server;
}

it('lets a server with keys listen on other addresses, and prints who has access', async () => {
  const server = await start({ CITEWELL_API_KEYS: KEY, CITEWELL_HOST: '0.0.0.0' });
  await expect.poll(server.stdout).toContain('1 key of CITEWELL_API_KEYS');
  const refused = await fetch(`${server.url}/v3/documents`);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="citewell"']);
  const wrong = await fetch(`${server.url}/v3/documents`, { headers: { 'x-api-key': 'wrong-horse-battery' } });
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="citewell", error="invalid_token"',
  ]);
  expect((await fetch(`${server.url}/v3/documents`, { headers: { 'x-api-key': KEY } })).status).toBe(200);
  expect((await fetch(`${server.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
});

it('answers the CORS preflight of a page that sends a key', async () => {
  const server = await start({ CITEWELL_API_KEYS: KEY });
  const origin = 'https://app.example.org';
  const preflight = await fetch(`${server.url}/v3/documents`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization']);
  const refused = await fetch(`${server.url}/v3/documents`, { headers: { origin } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
});

it('does not forward callers’ credentials to the model provider', async () => {
  const provider = await startFakeOpenAi();
  const issuer = await startIssuer();
  onTestFinished(async () => {
    await Promise.all([provider.close(), issuer.close()]);
  });
  const server = await start({
    CITEWELL_API_KEYS: KEY,
    CITEWELL_OAUTH_ISSUER: issuer.issuer,
    CITEWELL_PROVIDERS: `fake=${provider.baseUrl}`,
    CITEWELL_MODEL: 'fake/gpt',
    CITEWELL_FAST_MODEL: 'fake/gpt',
  });
  provider.otherwise(() => chatReply({ text: 'I do not know.' }));
  const token = await issuer.token({ subject: 'alice', audience: `${server.url}/mcp` });
  for (const credential of [KEY, token]) {
    for (const [path, body] of [
      ['rag', { query: 'Who?', rag_generation_config: { stream: true } }],
      ['agent', { message: 'Who?', rag_generation_config: { stream: true } }],
    ] as const) {
      const response = await fetch(`${server.url}/v3/retrieval/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
        body: JSON.stringify(body),
      });
      expect([path, response.status]).toEqual([path, 200]);
      await response.text();
    }
  }
  expect(provider.requests.length).toBeGreaterThan(1);
  const sent = JSON.stringify(provider.requests.map(({ path, headers, body }) => ({ path, headers, body })));
  expect(sent).not.toContain(KEY);
  expect(sent).not.toContain(token);
});

it('lets doctor check authentication and the issuer', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const cwd = await ownFolder();
  const access = async (env: Readonly<Record<string, string>>) => {
    const { stdout } = await runCitewell(['doctor', '--json'], { cwd, env: { CITEWELL_PORT: '0', ...env } });
    expect(stdout).not.toContain(KEY);
    const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string; detail: string }[] };
    return findings.find(({ name }) => name === 'Access');
  };
  expect(await access({})).toMatchObject({ state: 'ok', detail: expect.stringContaining('no authentication') });
  expect(await access({ CITEWELL_API_KEYS: KEY })).toMatchObject({
    state: 'ok',
    detail: '1 key of CITEWELL_API_KEYS, its users',
  });
  const oauth = { CITEWELL_OAUTH_ISSUER: issuer.issuer };
  expect(await access(oauth)).toMatchObject({ state: 'ok', detail: `access tokens of ${issuer.issuer}, its users` });
  issuer.isBroken = true;
  expect(await access(oauth)).toMatchObject({ state: 'wrong', detail: expect.stringContaining('status 500') });
  expect(await access({ CITEWELL_HOST: '0.0.0.0', CITEWELL_AUTH: 'required' })).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('anyone may register'),
  });
  expect(await access({ CITEWELL_R2R_TEST_ADMIN: 'true' })).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('publicly known password'),
  });
});
