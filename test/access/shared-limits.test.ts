import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createAccounts, defaultAccountSettings } from '../../src/access/accounts.ts';
import { throttleFactory } from '../../src/access/throttle.ts';
import { newId } from '../../src/documents/ids.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { createPostgresCounters } from '../../src/store/postgres/postgres-counters.ts';
import type { Store } from '../../src/store/store.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { embeddingText } from '../support/store.ts';

async function openStore(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 2 });
  onTestFinished(() => store.close());
  return store;
}

const accountsOf = (store: Store) => {
  const settings = {
    ...defaultAccountSettings,
    passwordCost: 4,
    rates: { globalPerMinute: 5, routePerMinute: 3 },
    quotas: { collections: 2 },
  };
  return createAccounts(settings, { ...store, store: store.accounts });
};

async function openTwo() {
  const url = await postgresDatabase();
  const stores = [await openStore(url), await openStore(url)] as const;
  const [one, other] = [accountsOf(stores[0]), accountsOf(stores[1])];
  const registration = { email: 'ada@example.org', password: 'correct horse battery' };
  const user = await one.users.register(undefined, registration, '192.0.2.1');
  const ada = { userId: user.id, email: user.email, isSuperuser: false, collectionIds: [] };
  return { url, stores, one, other, ada, registration };
}

const tooMany = { code: 'rate_limited' };

describePostgres('On several servers', () => {
  it('requests a minute are counted over all of them', async () => {
    const { one, other, ada } = await openTwo();
    const ask = (server: typeof one, route: string) => server.limits.admit(ada, route);
    await ask(one, 'POST /v3/x');
    await ask(other, 'POST /v3/x');
    await ask(one, 'POST /v3/x');
    await expect(ask(other, 'POST /v3/x')).rejects.toMatchObject({
      ...tooMany,
      message: expect.stringMatching(/^Per-route/),
    });
    const all = [one, other, one, other, one].map((server) => ask(server, 'POST /v3/y'));
    const outcomes = (await Promise.allSettled(all)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(2);
    await expect(ask(other, 'POST /v3/z')).rejects.toMatchObject({
      ...tooMany,
      message: expect.stringMatching(/^Global/),
    });
    expect(await other.limits.usage(ada.userId)).toMatchObject({ routes: { 'POST /v3/x': 4 } });
  });

  it('wrong passwords are counted over all of them, until the right one', async () => {
    const { one, other, registration } = await openTwo();
    const login = (server: typeof one, password: string) =>
      server.signIn.login({ ...registration, password, address: '192.0.2.1' });
    for (const server of [one, other, one, other, one, other, one, other, one]) {
      await expect(login(server, 'wrong')).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    await login(other, registration.password);
    for (const server of [one, other, one, other, one, other, one, other, one, other]) {
      await expect(login(server, 'wrong')).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    await expect(login(one, registration.password)).rejects.toMatchObject(tooMany);
    await expect(login(other, registration.password)).rejects.toMatchObject(tooMany);
  });

  it('a blocked address leaves no record per account name that it tries', async () => {
    const { url, one, registration } = await openTwo();
    const guess = (each: number) =>
      one.signIn.login({ email: `nobody-${each}@example.org`, password: 'wrong', address: '192.0.2.1' });
    for (let each = 0; each < 100; each++) await expect(guess(each)).rejects.toMatchObject({ code: 'unauthenticated' });
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const counted = async () => (await client.query('select count(*)::int as n from cluster_counters')).rows[0].n;
    const before = await counted();
    expect(before).toBeGreaterThan(200);
    for (let each = 100; each < 120; each++) await expect(guess(each)).rejects.toMatchObject(tooMany);
    expect(await counted()).toBe(before);
    await expect(one.signIn.login({ ...registration, address: '192.0.2.2' })).resolves.toBeDefined();
  });

  it('a quota is not exceeded by requests to different ones at the same time', async () => {
    const { stores, one, other, ada } = await openTwo();
    const add = (index: 0 | 1) => {
      const { collections } = stores[index];
      const server = [one, other][index] as typeof one;
      return server.quotas.within(ada.userId, ['collections'], () =>
        collections.ensure({ id: newId(), ownerId: ada.userId, name: newId() }),
      );
    };
    const outcomes = await Promise.allSettled([add(0), add(1), add(0), add(1)]);
    // The default collection is one of the two.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await one.quotas.used(ada.userId)).collections).toBe(2);
  });

  it('each server counts locally while the database is unavailable', async () => {
    const counters = createPostgresCounters('postgresql:///none?host=/nowhere');
    onTestFinished(counters.close);
    const throttle = throttleFactory(counters)('test', { times: 2, seconds: 60 });
    await throttle.attempt('ada');
    await throttle.attempt('ada');
    await throttle.attempt('bob');
    await expect(throttle.attempt('ada')).rejects.toMatchObject(tooMany);
    await throttle.reset('ada');
    await throttle.attempt('ada');
  });
});
