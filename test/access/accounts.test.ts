import { describe, expect, it } from 'vitest';
import { type AccountSettings, createAccounts, defaultAccountSettings } from '../../src/access/accounts.ts';
import { createAuthenticator } from '../../src/access/authenticator.ts';
import { collectionsWithinQuota } from '../../src/access/collections-within-quota.ts';
import { ensureAdmins } from '../../src/access/ensure-admins.ts';
import { defaultAdmin, type Principal } from '../../src/access/principal.ts';
import { accessHints } from '../../src/cli/access-hints.ts';
import type { ServiceError } from '../../src/errors.ts';
import { describeEngines } from '../support/engines.ts';
import { ingest, newChunk, newDocument, type TestStore } from '../support/store.ts';

describeEngines('Accounts', ({ openTestStore }) => {
  const PASSWORD = 'a long pass phrase';

  async function open(settings: Partial<AccountSettings> = {}, given?: TestStore) {
    const store = given ?? (await openTestStore());
    const all = { ...defaultAccountSettings, passwordCost: 4, ...settings };
    const accounts = createAccounts(all, { ...store, store: store.accounts });
    const warnings: string[] = [];
    const settle = (knowsTestPassword: boolean, first?: { email: string; password: string }) =>
      ensureAdmins(
        { knowsTestPassword, first },
        { ...accounts, collections: store.collections, warn: (message) => warnings.push(message) },
      );
    const hints = (accounts: Partial<AccountSettings> = {}) =>
      accessHints(
        {
          mode: 'required',
          keys: [],
          admins: { knowsTestPassword: false },
          accounts: { ...defaultAccountSettings, ...accounts },
        },
        store.accounts,
      );
    return { store, accounts, settle, warnings, hints };
  }
  const login = (email: string, password = PASSWORD) => ({ email, password, address: '10.0.0.1' });

  describe('accounts', () => {
    it('throttle password guessing, but accept the right password from another address', async () => {
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

    it('never lock out a user at a known address, whatever others guess from it', async () => {
      const { accounts } = await open();
      for (const name of ['ada', 'bob', 'eve']) {
        await accounts.users.register(undefined, { email: `${name}@example.org`, password: PASSWORD }, '10.0.0.1');
      }
      await accounts.signIn.login(login('ada@example.org'));
      // From one address; against one account after another; and against one account from one address after another.
      const guesses = [
        ...Array.from({ length: 100 }, (_, each) => login(`nobody-${each}@example.org`, 'a wrong guess')),
        ...Array.from({ length: 100 }, (_, each) => ({
          ...login('eve@example.org', 'a wrong guess'),
          address: `2001:db8:${each.toString(16)}::1`,
        })),
      ];
      await Promise.allSettled(guesses.map((guess) => accounts.signIn.login(guess)));
      await expect(accounts.signIn.login(login('bob@example.org'))).rejects.toMatchObject({ code: 'rate_limited' });
      const elsewhere = { ...login('eve@example.org'), address: '10.0.0.2' };
      await expect(accounts.signIn.login(elsewhere)).rejects.toMatchObject({ code: 'rate_limited' });
      await accounts.signIn.login(login('ada@example.org'));
    });

    it('keep nothing of logins whose e-mail is longer than any account has', async () => {
      const { accounts } = await open();
      const attempt = (email: string) => accounts.signIn.login(login(email, 'a wrong guess'));
      for (let count = 0; count < 150; count++) {
        // Each was kept for a quarter of an hour, with up to 4 MB, and counted.
        await expect(attempt(`${count}${'x'.repeat(300)}@example.org`)).rejects.toMatchObject({
          code: 'unauthenticated',
        });
      }
      await expect(attempt('ada@example.org')).rejects.toMatchObject({ code: 'unauthenticated' });
    });

    it('count all addresses of one IPv6 network as one', async () => {
      const { accounts } = await open();
      await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '2001:db8::1');
      const guesses = Array.from({ length: 12 }, (_, each) =>
        accounts.signIn.login({
          ...login('ada@example.org', 'a wrong guess'),
          address: `2001:db8::${each.toString(16)}:1`,
        }),
      );
      const codes = (await Promise.allSettled(guesses)).map((each) =>
        each.status === 'rejected' ? each.reason.code : '',
      );
      expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(2);
    });

    it('refuse an API key for a user who is deleted concurrently', async () => {
      const store = await openTestStore();
      const { apiKeys, users } = store.accounts;
      const people = {
        ...store.accounts,
        apiKeys: {
          ...apiKeys,
          async add(key: Parameters<typeof apiKeys.add>[0]) {
            await users.remove(key.userId);
            return apiKeys.add(key);
          },
        },
      };
      const accounts = createAccounts(defaultAccountSettings, { ...store, store: people });
      const { id } = await users.create({
        email: 'ada@example.org',
        passwordHash: null,
        isSuperuser: false,
        isVerified: true,
      });
      await expect(accounts.users.createKey(defaultAdmin, id, {})).rejects.toMatchObject({ code: 'not_found' });
    });

    it('accept tokens after a restart, with a generated or a configured secret', async () => {
      const { accounts, store } = await open();
      await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
      const { access } = await accounts.signIn.login(login('ada@example.org'));
      const again = await store.reopen();
      expect((await (await open({}, again)).accounts.signIn.userOfToken(access)).email).toBe('ada@example.org');
      const other = await open({ tokenSecret: 'another secret of more than 32 characters' }, again);
      await expect(other.accounts.signIn.userOfToken(access)).rejects.toMatchObject({ code: 'unauthenticated' });
    });

    it('admit only verified users when that is configured', async () => {
      const { accounts } = await open({ requiresVerified: true });
      const { users, signIn } = accounts;
      const ada = await users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
      expect(ada.isVerified).toBe(false);
      await expect(signIn.login(login('ada@example.org'))).rejects.toThrow(/not verified/);
      const code = await users.createCode(defaultAdmin, ada.id, 'verify');
      await expect(users.verify('eve@example.org', code)).rejects.toMatchObject({ code: 'invalid_request' });
      const second = await users.createCode(defaultAdmin, ada.id, 'verify');
      await users.verify('ADA@example.org', second);
      await signIn.login(login('ada@example.org'));
      const principal: Principal = { userId: ada.id, email: ada.email, isSuperuser: false, collectionIds: [] };
      expect((await users.update(principal, ada.id, { email: 'countess@example.org' })).isVerified).toBe(false);
    });

    it('accept no code that was handed out for an earlier address or password', async () => {
      const { accounts } = await open();
      const { users } = accounts;
      const { id, email } = await users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
      const ada: Principal = { userId: id, email, isSuperuser: false, collectionIds: [] };
      const refusal = { code: 'invalid_request' };
      const [verify, reset] = [
        await users.createCode(defaultAdmin, id, 'verify'),
        await users.createCode(defaultAdmin, id, 'reset'),
      ];
      await users.update(ada, id, { email: 'countess@example.org' });
      await expect(users.verify('countess@example.org', verify)).rejects.toMatchObject(refusal);
      await expect(users.resetPassword(reset, { password: 'another pass phrase' })).rejects.toMatchObject(refusal);
      const [again, kept] = [
        await users.createCode(defaultAdmin, id, 'reset'),
        await users.createCode(defaultAdmin, id, 'verify'),
      ];
      await users.changePassword(ada, PASSWORD, { password: 'a changed pass phrase' });
      await expect(users.resetPassword(again, { password: 'another pass phrase' })).rejects.toMatchObject(refusal);
      await users.verify('countess@example.org', kept);
    });

    it('keep the API keys of a user whose password changes, count them, and delete them on request', async () => {
      const { accounts } = await open();
      const { users } = accounts;
      const { id, email } = await users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
      const ada: Principal = { userId: id, email, isSuperuser: false, collectionIds: [] };
      await users.createKey(ada, ada.userId, { name: 'Notebook' });
      await users.createKey(ada, ada.userId, {});
      const keys = async () => (await users.keys(ada, ada.userId, { offset: 0, limit: 10 })).total;
      expect(await users.changePassword(ada, PASSWORD, { password: 'a changed pass phrase' })).toBe(2);
      const wrong = users.changePassword(ada, PASSWORD, { password: 'a third pass phrase', revokesKeys: true });
      await expect(wrong).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await keys()).toBe(2);
      const code = await users.createCode(defaultAdmin, ada.userId, 'reset');
      expect(await users.resetPassword(code, { password: 'a third pass phrase', revokesKeys: true })).toBe(0);
      expect(await keys()).toBe(0);
    });

    it('limit registrations per address', async () => {
      const { accounts } = await open();
      const register = (number: number, address: string) =>
        accounts.users.register(undefined, { email: `user-${number}@example.org`, password: PASSWORD }, address);
      const codes: string[] = [];
      for (let number = 0; number < 105; number++) {
        await register(number, '203.0.113.7').catch((error: ServiceError) => codes.push(error.code));
      }
      expect(new Set(codes)).toEqual(new Set(['rate_limited']));
      expect(codes.length).toBeLessThan(105);
      await register(105, '203.0.113.8');
      const made = { email: 'made@example.org', password: PASSWORD };
      await accounts.users.register(defaultAdmin, made, '203.0.113.7');
    });

    it('refuse registration when it is closed', async () => {
      const { accounts } = await open({ registration: 'closed' });
      const ada = { email: 'ada@example.org', password: PASSWORD };
      await expect(accounts.users.register(undefined, ada, '')).rejects.toMatchObject({ code: 'forbidden' });
      await accounts.users.register(defaultAdmin, ada, '');
    });

    it('have a default admin with a reserved name and no known password', async () => {
      const { accounts, settle, store } = await open();
      await settle(false, { email: 'first@example.org', password: PASSWORD });
      const taken = { email: defaultAdmin.email, password: PASSWORD };
      await expect(accounts.users.register(undefined, taken, '')).rejects.toThrow(/already exists/);
      await expect(accounts.signIn.login(login(defaultAdmin.email, ''))).rejects.toThrow('Incorrect email or password');
      await accounts.signIn.login(login('first@example.org'));
      expect((await store.accounts.users.findByEmail('first@example.org'))?.isSuperuser).toBe(true);
      // A later start does not restore what was changed.
      await settle(false, { email: 'first@example.org', password: 'something else entirely' });
      await accounts.signIn.login(login('first@example.org'));
    });

    it('make each admin once when several servers start at the same time', async () => {
      const { accounts, store, settle } = await open();
      const first = { email: 'first@example.org', password: PASSWORD };
      await Promise.all([settle(false, first), settle(false, first), settle(false, first)]);
      await accounts.signIn.login(login('first@example.org'));
      const { users } = store.accounts;
      expect(await Promise.all([users.get(defaultAdmin.userId), users.findByEmail(first.email)])).toEqual([
        expect.objectContaining({ email: defaultAdmin.email, isSuperuser: true }),
        expect.objectContaining({ isSuperuser: true }),
      ]);
    });

    it('set the configured password of the default admin only while it has none', async () => {
      const { accounts, settle, hints } = await open();
      await settle(false);
      expect(await hints()).toEqual([expect.stringContaining('Nobody can log in yet')]);
      await settle(false, { email: 'Admin@Example.com', password: PASSWORD });
      await accounts.signIn.login(login(defaultAdmin.email));
      expect(await hints()).toEqual([]);
      await settle(false, { email: defaultAdmin.email, password: 'something else entirely' });
      await accounts.signIn.login(login(defaultAdmin.email));
      // A token issued before the restart as well.
      const other = await open();
      await other.settle(true);
      await other.settle(false, { email: defaultAdmin.email, password: PASSWORD });
      await other.accounts.signIn.login(login(defaultAdmin.email));
    });

    it('let only a superuser set the first password of the default admin', async () => {
      const { accounts, settle } = await open();
      await settle(false);
      const admin = { email: defaultAdmin.email, password: PASSWORD };
      await expect(accounts.users.register(undefined, admin, '')).rejects.toThrow(/already exists/);
      expect(await accounts.users.register(defaultAdmin, admin, '')).toMatchObject({ id: defaultAdmin.userId });
      await accounts.signIn.login(login(defaultAdmin.email));
      const again = { ...admin, password: 'something else entirely' };
      await expect(accounts.users.register(defaultAdmin, again, '')).rejects.toThrow(/already exists/);
    });

    it('report a missing admin when authentication is required', async () => {
      const { accounts, settle, hints, warnings } = await open();
      const ada = { email: 'ada@example.org', password: PASSWORD };
      expect((await accounts.users.register(undefined, ada, '')).isVerified).toBe(false);
      expect(await hints()).toEqual([expect.stringContaining('No administrator can log in')]);
      expect(await hints({ requiresVerified: true })).toEqual([expect.stringContaining('Nobody can log in yet')]);
      await settle(false, ada);
      expect(warnings).toEqual([expect.stringContaining('ada@example.org, an existing user who is not an admin')]);
      expect(await hints()).toEqual([expect.stringContaining('No administrator can log in')]);
    });

    it('remove the well-known test password once it is no longer configured', async () => {
      const { accounts, settle } = await open();
      await settle(true);
      const { access } = await accounts.signIn.login(login(defaultAdmin.email, 'change_me_immediately'));
      await settle(false);
      await expect(accounts.signIn.userOfToken(access)).rejects.toMatchObject({ code: 'unauthenticated' });
      await expect(accounts.signIn.login(login(defaultAdmin.email, 'change_me_immediately'))).rejects.toThrow(
        'Incorrect',
      );
    });

    it('enforce quotas for everybody but superusers', async () => {
      const { accounts, store } = await open({ quotas: { documents: 1, collections: 2 } });
      const ada = await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
      const take = (name: string) =>
        accounts.quotas.within(ada.id, ['documents', 'chunks'], async () => {
          await ingest(store, newDocument(name, { ownerId: ada.id }), [newChunk(0)]);
        });
      const codes = await Promise.all(['one', 'two', 'three'].map((name) => take(name).catch((error) => error.code)));
      // The quota check is atomic: exactly one request succeeds.
      expect(codes.toSorted()).toEqual(['forbidden', 'forbidden', undefined]);
      await expect(take('four')).rejects.toThrow(/1 document and may have 1\. /);
      await accounts.quotas.within(defaultAdmin.userId, ['documents'], async () => {});
      const collections = collectionsWithinQuota(store.collections, accounts.quotas);
      const make = (id: string) => collections.ensure({ id, ownerId: ada.id, name: id });
      await expect(accounts.quotas.within(ada.id, ['collections'], async () => {}, 2)).rejects.toThrow(
        /may have 2, so 2 more are too many\. /,
      );
      await make('6b9f1f3e-0000-4000-8000-000000000001');
      await expect(make('6b9f1f3e-0000-4000-8000-000000000002')).rejects.toThrow(/2 collections and may have 2/);
      await make('6b9f1f3e-0000-4000-8000-000000000001');
      await accounts.users.update(defaultAdmin, ada.id, { limitsOverrides: { max_documents: 5, max_collections: 3 } });
      await take('four');
      // A nested check does not deadlock.
      await accounts.quotas.within(ada.id, ['documents'], () => make('6b9f1f3e-0000-4000-8000-000000000002'));
    });
  });

  describe('where authentication is off', () => {
    it('credentials are optional, and valid ones identify their user', async () => {
      const { accounts } = await open();
      const authenticate = createAuthenticator({
        keys: [],
        localToken: () => undefined,
        userAuthenticator: accounts.userAuthenticator,
        anonymous: defaultAdmin,
      });
      const ask = (bearer?: string, apiKey?: string) => authenticate({ bearer, apiKey });
      expect(await ask()).toBe(defaultAdmin);
      // Clients of OpenAI's API cannot omit the key.
      expect(await ask('sk-made-up')).toBe(defaultAdmin);
      // A key in a header of its own is checked.
      await expect(ask(undefined, 'made-up')).rejects.toMatchObject({ code: 'unauthenticated' });
      const ada = await accounts.users.register(undefined, { email: 'ada@example.org', password: PASSWORD }, '');
      const { access, refresh } = await accounts.signIn.login(login('ada@example.org'));
      expect(await ask(access)).toMatchObject({ userId: ada.id, isSuperuser: false });
      await expect(ask(refresh)).rejects.toMatchObject({ code: 'unauthenticated' });
      const { key, id } = await accounts.users.createKey(defaultAdmin, ada.id, {});
      expect(await ask(undefined, key)).toMatchObject({ userId: ada.id });
      await accounts.users.removeKey(defaultAdmin, ada.id, id);
      await expect(ask(undefined, key)).rejects.toMatchObject({ code: 'unauthenticated' });
    });
  });
});
