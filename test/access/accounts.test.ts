import { describe, expect, it } from 'vitest';
import { type AccountSettings, createAccounts, defaultAccountSettings } from '../../src/access/accounts.ts';
import { createAuthenticator } from '../../src/access/authenticator.ts';
import { collectionsWithinQuota } from '../../src/access/collections-within-quota.ts';
import { defaultAdmin, type Principal } from '../../src/access/principal.ts';
import { settleAdmins } from '../../src/access/settle-admins.ts';
import { ingest, newChunk, newDocument, openTestStore, type TestStore } from '../support/store.ts';

const PASSWORD = 'a long pass phrase';

async function open(settings: Partial<AccountSettings> = {}, given?: TestStore) {
  const store = given ?? (await openTestStore());
  const all = { ...defaultAccountSettings, passwordCost: 4, ...settings };
  const accounts = await createAccounts(all, { ...store, store: store.people });
  const settle = (knowsTestPassword: boolean, first?: { email: string; password: string }) =>
    settleAdmins({ knowsTestPassword, first }, { ...accounts, collections: store.collections, warn: () => {} });
  return { store, accounts, settle };
}
const login = (email: string, password = PASSWORD) => ({ email, password, address: '10.0.0.1' });

describe('accounts', () => {
  it('slow down who guesses a password, and let the right one in from elsewhere', async () => {
    const { accounts } = await open();
    await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '10.0.0.1');
    const guesses = await Promise.allSettled(
      Array.from({ length: 15 }, () => accounts.signIn.login(login('Ada@example.org', 'a wrong guess'))),
    );
    const codes = guesses.map((guess) => (guess.status === 'rejected' ? guess.reason.code : 'in'));
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(10);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(5);
    await expect(accounts.signIn.login(login('ada@example.org'))).rejects.toMatchObject({ code: 'rate_limited' });
    await accounts.signIn.login({ ...login('ada@example.org'), address: '10.0.0.2' });
  });

  it('give new tokens to one of two who come with the same refresh token at once', async () => {
    const { accounts } = await open();
    await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
    const { refresh } = await accounts.signIn.login(login('ada@example.org'));
    const both = await Promise.allSettled([accounts.signIn.refresh(refresh), accounts.signIn.refresh(refresh)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('make no key for a user who is deleted at that very time, and say so', async () => {
    const store = await openTestStore();
    const { apiKeys, users } = store.people;
    const people = {
      ...store.people,
      apiKeys: {
        ...apiKeys,
        async add(key: Parameters<typeof apiKeys.add>[0]) {
          await users.remove(key.userId);
          return apiKeys.add(key);
        },
      },
    };
    const accounts = await createAccounts(defaultAccountSettings, { ...store, store: people });
    const { id } = await users.create({
      email: 'ada@example.org',
      passwordHash: null,
      isSuperuser: false,
      isVerified: true,
    });
    await expect(accounts.users.createKey(defaultAdmin, id, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keep tokens good over a restart, by the secret that was made or the one that is set', async () => {
    const { accounts, store } = await open();
    await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
    const { access } = await accounts.signIn.login(login('ada@example.org'));
    const again = await store.reopen();
    expect((await (await open({}, again)).accounts.signIn.userOfToken(access)).email).toBe('ada@example.org');
    const other = await open({ tokenSecret: 'another secret of more than 32 characters' }, again);
    await expect(other.accounts.signIn.userOfToken(access)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('let in verified users only, where that is asked for', async () => {
    const { accounts } = await open({ requiresVerified: true });
    const { users, signIn } = accounts;
    const ada = await users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
    expect(ada.isVerified).toBe(false);
    await expect(signIn.login(login('ada@example.org'))).rejects.toThrow(/not verified/);
    await users.askForVerification('ada@example.org');
    const code = await users.createCode(defaultAdmin, ada.id, 'verify');
    await expect(users.verify('eve@example.org', code)).rejects.toMatchObject({ code: 'invalid_request' });
    const second = await users.createCode(defaultAdmin, ada.id, 'verify');
    await users.verify('ADA@example.org', second);
    await signIn.login(login('ada@example.org'));
    const principal: Principal = { userId: ada.id, email: ada.email, isSuperuser: false, collectionIds: [] };
    expect((await users.update(principal, ada.id, { email: 'countess@example.org' })).isVerified).toBe(false);
  });

  it('make no users by themselves where registration is closed', async () => {
    const { accounts } = await open({ registration: 'closed' });
    const ada = { email: 'ada@example.org', password: PASSWORD };
    await expect(accounts.users.register(undefined, ada, '')).rejects.toMatchObject({ code: 'forbidden' });
    await accounts.users.register(defaultAdmin, ada, '');
  });

  it('have a default admin whose name nobody can take, and whose password nobody knows', async () => {
    const { accounts, settle, store } = await open();
    await settle(false, { email: 'first@example.org', password: PASSWORD });
    const taken = { email: defaultAdmin.email, password: PASSWORD };
    await expect(accounts.users.register(undefined, taken, '')).rejects.toThrow(/already exists/);
    await expect(accounts.signIn.login(login(defaultAdmin.email, ''))).rejects.toThrow('Incorrect email or password');
    await accounts.signIn.login(login('first@example.org'));
    expect((await store.people.users.findByEmail('first@example.org'))?.isSuperuser).toBe(true);
    // A later start does not bring back what was changed.
    await settle(false, { email: 'first@example.org', password: 'something else entirely' });
    await accounts.signIn.login(login('first@example.org'));
  });

  it('take the well-known password of tests away again when it is not asked for any more', async () => {
    const { accounts, settle } = await open();
    await settle(true);
    const { access } = await accounts.signIn.login(login(defaultAdmin.email, 'change_me_immediately'));
    await settle(false);
    await expect(accounts.signIn.userOfToken(access)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(accounts.signIn.login(login(defaultAdmin.email, 'change_me_immediately'))).rejects.toThrow(
      'Incorrect',
    );
  });

  it('give nobody more than they may have, but superusers', async () => {
    const { accounts, store } = await open({ quotas: { documents: 1, collections: 2 } });
    const ada = await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
    const take = (name: string) =>
      accounts.quotas.within(ada.id, ['documents', 'chunks'], async () => {
        await ingest(store, newDocument(name, { ownerId: ada.id }), [newChunk(0)]);
      });
    const codes = await Promise.all(['one', 'two', 'three'].map((name) => take(name).catch((error) => error.code)));
    // Whichever comes first has the last room.
    expect(codes.toSorted()).toEqual(['forbidden', 'forbidden', undefined]);
    await expect(take('four')).rejects.toThrow(/1 documents and may have 1/);
    await accounts.quotas.within(defaultAdmin.userId, ['documents'], async () => {});
    const collections = collectionsWithinQuota(store.collections, accounts.quotas);
    const make = (id: string) => collections.ensure({ id, ownerId: ada.id, name: id });
    await make('6b9f1f3e-0000-4000-8000-000000000001');
    await expect(make('6b9f1f3e-0000-4000-8000-000000000002')).rejects.toThrow(/2 collections and may have 2/);
    await make('6b9f1f3e-0000-4000-8000-000000000001');
    await accounts.users.update(defaultAdmin, ada.id, { limitsOverrides: { max_documents: 5, max_collections: 3 } });
    await take('four');
    // One within the other does not wait for itself.
    await accounts.quotas.within(ada.id, ['documents'], () => make('6b9f1f3e-0000-4000-8000-000000000002'));
  });
});

describe('where authentication is off', () => {
  it('nobody has to show anything, and who shows a token or a key is who it is of', async () => {
    const { accounts } = await open();
    const authenticate = createAuthenticator({
      keys: [],
      localToken: () => undefined,
      people: accounts.people,
      anonymous: defaultAdmin,
    });
    const ask = (bearer?: string, apiKey?: string) => authenticate({ bearer, apiKey });
    expect(await ask()).toBe(defaultAdmin);
    // Clients of OpenAI's interface cannot do without one.
    expect(await ask('sk-made-up')).toBe(defaultAdmin);
    const ada = await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
    const { access, refresh } = await accounts.signIn.login(login('ada@example.org'));
    expect(await ask(access)).toMatchObject({ userId: ada.id, isSuperuser: false });
    await expect(ask(refresh)).rejects.toMatchObject({ code: 'unauthenticated' });
    const { whole, id } = await accounts.users.createKey(defaultAdmin, ada.id, {});
    expect(await ask(undefined, whole)).toMatchObject({ userId: ada.id });
    await accounts.users.removeKey(defaultAdmin, ada.id, id);
    await expect(ask(undefined, whole)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
