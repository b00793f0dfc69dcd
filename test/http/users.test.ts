import { r2rClient } from 'r2r-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';

const PASSWORD = 'a long pass phrase';
let server: RunningHttp;
let admin: r2rClient;
let adminToken: string;

beforeAll(async () => {
  server = await startCitewell({ isRequired: true, hasTestAdmin: true });
  admin = new r2rClient(server.url);
  const { results } = await admin.users.login({ email: 'admin@example.com', password: 'change_me_immediately' });
  adminToken = results.accessToken.token;
});
afterAll(() => server.close());

interface Newcomer {
  readonly client: r2rClient;
  readonly id: string;
  readonly email: string;
  readonly access: string;
}

async function newcomer(name: string): Promise<Newcomer> {
  const client = new r2rClient(server.url);
  const email = `${name}@example.org`;
  const { results } = await client.users.create({ email, password: PASSWORD });
  const { results: tokens } = await client.users.login({ email, password: PASSWORD });
  return { client, id: results.id, email, access: tokens.accessToken.token };
}
// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
const json = (response: Response): Promise<any> => response.json();
const send = (path: string, init: RequestInit = {}) => fetch(`${server.url}/v3${path}`, init);
const post = (path: string, body: string | object = '', headers: Record<string, string> = {}) =>
  send(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('r2r-js as a user', () => {
  it('registers, logs in, and reads its own record', async () => {
    const { client, id, email } = await newcomer('Ada');
    const { results: me } = await client.users.me();
    expect(me).toMatchObject({ id, email: email.toLowerCase(), isSuperuser: false, isActive: true, name: null });
    expect(me).toHaveProperty('hashedPassword', null);
    expect(me.collectionIds).toHaveLength(1);
  });

  it('changes its password, which invalidates older tokens', async () => {
    const { client, email, access: before } = await newcomer('grace');
    const refresh = client.getRefreshToken();
    await expect(
      client.users.changePassword({ current_password: 'not it at all', new_password: 'another pass phrase' }),
    ).rejects.toThrow(/Status 400/);
    await client.users.changePassword({ current_password: PASSWORD, new_password: 'another pass phrase' });
    expect((await send('/users/me', { headers: bearer(before) })).status).toBe(401);
    expect((await post('/users/refresh-token', refresh ?? '')).status).toBe(401);
    await client.users.logout();
    await expect(client.users.login({ email, password: PASSWORD })).rejects.toThrow(/Status 401/);
    await client.users.login({ email, password: 'another pass phrase' });
  });

  it('renews its tokens, after whose use the earlier refresh token is refused', async () => {
    const { client } = await newcomer('barbara');
    const used = client.getRefreshToken();
    await client.users.refreshAccessToken();
    expect(client.getRefreshToken()).not.toBe(used);
    await client.users.me();
    const again = await post('/users/refresh-token', used ?? '');
    expect([again.status, (await json(again)).message]).toEqual([401, expect.stringContaining('Invalid token')]);
  });

  it('logs out of all tokens of one login, and of no other', async () => {
    const { client, email, access } = await newcomer('joan');
    const other = new r2rClient(server.url);
    await other.users.login({ email, password: PASSWORD });
    const refresh = client.getRefreshToken();
    await client.users.logout();
    expect((await send('/users/me', { headers: bearer(access) })).status).toBe(401);
    expect((await post('/users/refresh-token', refresh ?? '')).status).toBe(401);
    await other.users.me();
  });

  it('creates keys, which are shown once and stop working when deleted', async () => {
    const { client, id } = await newcomer('katherine');
    const { results: made } = await client.users.createApiKey({ id, name: 'laptop', description: 'at home' });
    expect(made.apiKey).toMatch(/^key_[\w-]{22}\.[\w-]{43}$/);
    expect(made.apiKey.startsWith(`${made.publicKey}.`)).toBe(true);
    const listed = await client.users.listApiKeys({ id });
    expect(listed).toMatchObject({ totalEntries: 1, results: [{ keyId: made.keyId, name: 'laptop' }] });
    expect(JSON.stringify(listed)).not.toContain(made.apiKey.split('.')[1]);
    for (const headers of [bearer(made.apiKey), { 'x-api-key': made.apiKey }]) {
      const me = await send('/users/me', { headers });
      expect((await json(me)).results.id).toBe(id);
    }
    const both = await send('/users/me', { headers: { ...bearer(made.apiKey), 'x-api-key': made.apiKey } });
    expect(both.status).toBe(400);
    await client.users.deleteApiKey({ id, keyId: made.keyId });
    expect((await send('/users/me', { headers: bearer(made.apiKey) })).status).toBe(401);
  });

  it('edits itself, but cannot grant itself rights', async () => {
    const { client, id, access } = await newcomer('hedy');
    const { results } = await client.users.update({ id, name: 'Hedy', bio: 'Hops', metadata: { team: 'radio' } });
    expect(results).toMatchObject({ name: 'Hedy', bio: 'Hops', metadata: { team: 'radio' } });
    await expect(client.users.update({ id, isSuperuser: true })).rejects.toThrow(/Status 403/);
    for (const change of [{ is_active: true }, { limits_overrides: {} }, { is_verified: true }, { password: PASSWORD }])
      expect((await post(`/users/${id}`, change, bearer(access))).status).toBe(403);
  });

  it('cannot tell whether another user exists', async () => {
    const { client } = await newcomer('mary');
    const { id } = await newcomer('emmy');
    for (const other of [id, '6b9f1f3e-0000-4000-8000-000000000000']) {
      await expect(client.users.retrieve({ id: other })).rejects.toThrow(/Status 403/);
      await expect(client.users.update({ id: other, name: 'x' })).rejects.toThrow(/Status 403/);
      await expect(client.users.listApiKeys({ id: other })).rejects.toThrow(/Status 403/);
      await expect(client.users.listCollections({ id: other })).rejects.toThrow(/Status 403/);
      await expect(client.users.getLimits({ id: other })).rejects.toThrow(/Status 403/);
      await expect(client.users.delete({ id: other, password: PASSWORD })).rejects.toThrow(/Status 403/);
    }
    await expect(client.users.list()).rejects.toThrow(/Status 403/);
    await expect(client.users.export()).rejects.toThrow(/Status 403/);
  });

  it('deletes itself with its password, and a new user with that e-mail inherits nothing', async () => {
    const { client, id, email, access: token } = await newcomer('rosalind');
    const upload = await client.documents.create({ raw_text: 'Photograph fifty-one shows a helix.' });
    await client.conversations.create({ name: 'Mine' });
    await expect(client.users.delete({ id, password: 'wrong pass phrase' })).rejects.toThrow(/Status 400: Incorrect/);
    const unconfirmed = await send(`/users/${id}`, { method: 'DELETE', headers: bearer(token) });
    expect(await unconfirmed.json()).toMatchObject({ message: expect.stringContaining('needs your password') });
    await client.users.delete({ id, password: PASSWORD });
    expect((await send('/users/me', { headers: bearer(token) })).status).toBe(401);
    const next = new r2rClient(server.url);
    const { results } = await next.users.create({ email, password: PASSWORD });
    expect(results.id).toBe(id);
    expect((await send('/users/me', { headers: bearer(token) })).status).toBe(401);
    await next.users.login({ email, password: PASSWORD });
    await expect(next.documents.retrieve({ id: upload.results.documentId })).rejects.toThrow(/Status 404/);
    expect((await next.conversations.list()).results).toEqual([]);
  });

  it('learns that this server sends no e-mail, but not which e-mails are known', async () => {
    const { client, email } = await newcomer('lise');
    const answers = await Promise.all(
      [email, 'nobody@example.org'].map(async (each) => {
        const sent = await post('/users/send-verification-email', each, { 'content-type': 'text/plain' });
        return { status: sent.status, body: await json(sent) };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.body.results).toMatchObject({
      message: 'A verification email has been sent.',
      is_sent: false,
    });
    expect((await client.users.requestPasswordReset(email)).results.message).toContain('citewell users code');
  });

  it.each(['send-verification-email', 'request-password-reset'])('logs no long text for %s', async (path) => {
    const refused = await post(`/users/${path}`, 'x'.repeat(300), { 'content-type': 'text/plain' });
    expect([refused.status, (await json(refused)).detail[0].loc]).toEqual([422, ['body', 'email']]);
  });

  it('shows the verification state of an e-mail only to its owner and to superusers', async () => {
    const { id, email, access } = await newcomer('tapputi');
    const other = await newcomer('merit');
    await post(`/users/${id}`, { is_verified: true }, bearer(adminToken));
    const ask = async (headers: Record<string, string> = {}) =>
      (await post('/users/send-verification-email', email, { 'content-type': 'text/plain', ...headers })).status;
    expect(await Promise.all([ask(), ask(bearer(other.access))])).toEqual([200, 200]);
    expect(await Promise.all([ask(bearer(access)), ask(bearer(adminToken))])).toEqual([400, 400]);
  });

  it('sets a new password once with a code created by an admin', async () => {
    const { client, id, email, access } = await newcomer('ida');
    const made = await post(`/users/${id}/codes`, { purpose: 'reset' }, bearer(adminToken));
    const { code } = (await json(made)).results;
    const own = await post(`/users/${id}/codes`, { purpose: 'reset' }, bearer(access));
    expect(own.status).toBe(403);
    await client.users.resetPassword({ reset_token: code, new_password: 'brand new pass phrase' });
    await client.users.login({ email, password: 'brand new pass phrase' });
    await expect(
      client.users.resetPassword({ reset_token: code, new_password: 'one more pass phrase' }),
    ).rejects.toThrow(/Status 400/);
  });

  it('reads its limits and usage', async () => {
    const { client, id } = await newcomer('chien');
    const { results } = await client.users.getLimits({ id });
    expect(results).toMatchObject({ storageLimits: { documents: { used: 0 }, collections: { used: 1 } } });
  });

  it.each(['google', 'github'])('cannot log in with %s, and gets a remedy', async (provider) => {
    const answer = await send(`/users/oauth/${provider}/authorize`, { headers: bearer(adminToken) });
    expect([answer.status, (await json(answer)).code]).toEqual([503, 'not_configured']);
  });
});

describe('r2r-js as a superuser', () => {
  it('lists, promotes, deactivates and reactivates users', async () => {
    const { client, id, access } = await newcomer('dorothy');
    const found = await admin.users.list({ ids: [id] });
    expect([found.totalEntries, found.results[0]?.id]).toEqual([1, id]);
    expect((await admin.users.update({ id, isSuperuser: true })).results.isSuperuser).toBe(true);
    expect((await client.users.list({ limit: 1 })).results).toHaveLength(1);
    await admin.users.update({ id, isSuperuser: false });
    await expect(client.users.list()).rejects.toThrow(/Status 403/);

    const { results: key } = await client.users.createApiKey({ id });
    await post(`/users/${id}`, { is_active: false }, bearer(adminToken));
    for (const token of [access, key.apiKey])
      expect((await send('/users/me', { headers: bearer(token) })).status).toBe(401);
    await expect(client.users.login({ email: 'dorothy@example.org', password: PASSWORD })).rejects.toThrow(/401/);
    await post(`/users/${id}`, { is_active: true }, bearer(adminToken));
    expect((await send('/users/me', { headers: bearer(access) })).status).toBe(401);
    expect((await send('/users/me', { headers: bearer(key.apiKey) })).status).toBe(200);
  });

  it('adds users to collections, whose documents they then see, and removes them', async () => {
    const { client, id } = await newcomer('valentina');
    const [collection] = (await admin.users.listCollections({ id: (await admin.users.me()).results.id })).results;
    const collectionId = collection?.id ?? '';
    const { results } = await admin.documents.create({ raw_text: 'Vostok six flew in June.' });
    const document = { id: results.documentId };
    await expect(client.documents.retrieve(document)).rejects.toThrow(/Status 404/);
    await expect(client.users.addToCollection({ id, collectionId })).rejects.toThrow(/Status 404/);
    await admin.users.addToCollection({ id, collectionId });
    expect((await client.documents.retrieve(document)).results.id).toBe(document.id);
    expect((await client.users.me()).results.collectionIds).toContain(collectionId);
    await expect(admin.users.addToCollection({ id, collectionId })).rejects.toThrow(/Status 400/);
    await admin.users.removeFromCollection({ id, collectionId });
    await expect(client.documents.retrieve(document)).rejects.toThrow(/Status 404/);
  });

  it('exports users as CSV, without credentials', async () => {
    const csv = (await await admin.users.export()) as unknown as Blob;
    const [header, ...rows] = (await csv.text()).trim().split('\r\n');
    expect(header).toBe(
      '"id","email","is_superuser","is_active","is_verified","name","bio","collection_ids","created_at","updated_at"',
    );
    expect(rows.length).toBeGreaterThan(3);
    const some = await admin.users.export({ columns: ['email'], filters: { is_superuser: { $eq: true } } });
    expect((await (some as unknown as Blob).text()).trim().split('\r\n')).toEqual(['"email"', '"admin@example.com"']);
  });

  it('acts for another user when it names one, which nobody else may', async () => {
    const [owner, other] = [await newcomer('owned'), await newcomer('curious')];
    const acting = { ...bearer(adminToken), 'x-citewell-user': owner.id };
    const { results: made } = await json(
      await post('/documents', { raw_text: 'A document made for its owner.' }, acting),
    );
    const { results: seen } = await owner.client.documents.retrieve({ id: made.document_id });
    expect(seen).toMatchObject({ ownerId: owner.id });
    // Nor does the superuser have more rights than that user meanwhile.
    expect((await send('/users', { headers: acting })).status).toBe(403);
    const refused = await send('/documents', { headers: { ...bearer(other.access), 'x-citewell-user': owner.id } });
    expect(refused.status).toBe(403);
    // Requests of the superuser do not use up that user's.
    await post(`/users/${owner.id}`, { limits_overrides: { global_per_min: 0 } }, bearer(adminToken));
    expect((await post('/conversations', {}, bearer(owner.access))).status).toBe(429);
    expect((await post('/conversations', {}, acting)).status).toBe(200);
    const nobody = '6b9f1f3e-0000-4000-8000-000000000000';
    expect((await send('/documents', { headers: { ...acting, 'x-citewell-user': nobody } })).status).toBe(404);
  });

  it('brings the password hash of another system, which nobody else may', async () => {
    const { id, email, access } = await newcomer('moved');
    const hash = {
      password_hash: '$argon2i$v=19$m=8,t=3,p=1$laWPc6wDnS99xsMwqVPfBg$QJh6pNW6yDDvzhg2X+sQ8ww8oyRGZHkow+Hs44RzWaY',
    };
    expect((await post(`/users/${id}`, hash, bearer(access))).status).toBe(403);
    expect((await post(`/users/${id}`, hash, bearer(adminToken))).status).toBe(200);
    const logIn = async (email: string, password: string) =>
      (await new r2rClient(server.url).users.login({ email, password })).results;
    expect(await logIn(email, 'pwd')).toHaveProperty('accessToken');

    const brought = { email: 'brought@example.org', password: PASSWORD, ...hash };
    expect((await post('/users', brought, bearer(access))).status).toBe(403);
    expect((await post('/users', { ...brought, password_hash: 'nonsense' }, bearer(adminToken))).status).toBe(400);
    expect((await post('/users', brought, bearer(adminToken))).status).toBe(200);
    await expect(logIn(brought.email, PASSWORD)).rejects.toThrow(/Status 401/);
    expect(await logIn(brought.email, 'pwd')).toHaveProperty('accessToken');
  });

  it('creates users with a verified e-mail, and cannot remove the last admin', async () => {
    const made = await admin.users.create({ email: 'wu@example.org', password: PASSWORD, isVerified: true });
    expect(made.results.isVerified).toBe(true);
    const { results: me } = await admin.users.me();
    await expect(admin.users.update({ id: me.id, isSuperuser: false })).rejects.toThrow(/Status 400/);
    await expect(admin.users.delete({ id: me.id, password: 'x' })).rejects.toThrow(/Status 400/);
  });
});

describe('an unauthenticated client', () => {
  it.each<[string, string, Record<string, string>]>([
    ['raw', 'TOKEN', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a JSON string', '"TOKEN"', { 'content-type': 'application/json' }],
    ['an object', '{"refresh_token":"TOKEN"}', { 'content-type': 'application/json' }],
    ['a form', 'token=TOKEN&tokenType=refresh', {}],
  ])('renews with the token as %s, whatever the header says', async (how, body, headers) => {
    const { client } = await newcomer(`renew-${how.replaceAll(/\W/g, '')}`);
    const token = client.getRefreshToken() ?? '';
    const answer = await post('/users/refresh-token', body.replace('TOKEN', token), {
      ...headers,
      ...bearer('worthless'),
    });
    expect(answer.status).toBe(200);
    expect((await json(answer)).results).toMatchObject({ access_token: { token_type: 'access' } });
  });

  it('gets the same error for an unknown e-mail and a wrong password', async () => {
    await newcomer('maria');
    const refused = await Promise.all(
      ['maria@example.org', 'nobody-at-all@example.org'].map(async (username) => {
        const answer = await post('/users/login', new URLSearchParams({ username, password: 'wrong' }).toString());
        return [answer.status, (await json(answer)).message];
      }),
    );
    expect(refused[0]).toEqual([401, 'Incorrect email or password']);
    expect(refused[1]).toEqual(refused[0]);
  });

  it('cannot register with a taken e-mail, a short password, or as verified', async () => {
    for (const body of [
      { email: 'ADMIN@example.com', password: PASSWORD },
      { email: 'new@example.org', password: 'short' },
      { email: 'no address', password: PASSWORD },
    ])
      expect((await post('/users', body)).status).toBe(400);
    expect((await post('/users', { email: 'v@example.org', password: PASSWORD, is_verified: true })).status).toBe(403);
    expect((await post('/users', { email: 'v@example.org' })).status).toBe(422);
  });

  it('is refused everything else', async () => {
    for (const path of ['/users', '/users/me', '/documents', '/conversations', '/system/status'])
      expect([path, (await send(path)).status]).toEqual([path, 401]);
    expect((await post('/users/logout')).status).toBe(401);
    expect((await post('/users/change-password', {})).status).toBe(401);
  });
});
