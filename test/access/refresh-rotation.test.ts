import { afterEach, expect, it, vi } from 'vitest';
import { createAccounts, defaultAccountSettings } from '../../src/access/accounts.ts';
import { REPEAT_SECONDS } from '../../src/access/refresh-rotation.ts';
import { describeEngines } from '../support/engines.ts';

describeEngines('A refresh token', ({ openTestStore }) => {
  const ada = { email: 'ada@example.org', password: 'a long pass phrase' };
  const isRefused = { code: 'unauthenticated' };

  async function openSession() {
    const store = await openTestStore();
    // Opening PostgreSQL compares the clocks.
    vi.useFakeTimers({ toFake: ['Date'] });
    const accounts = createAccounts(
      { ...defaultAccountSettings, passwordCost: 4 },
      { ...store, store: store.accounts },
    );
    await accounts.users.register(undefined, ada, '');
    const { signIn } = accounts;
    return { signIn, first: await signIn.login({ ...ada, address: '10.0.0.1' }) };
  }
  const later = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000);
  afterEach(() => vi.useRealTimers());

  it('is accepted again shortly after an exchange whose response was lost', async () => {
    const { signIn, first } = await openSession();
    await signIn.refresh(first.refresh);
    later(REPEAT_SECONDS - 5);
    const second = await signIn.refresh(first.refresh);
    expect(await signIn.userOfToken(second.access)).toMatchObject({ email: ada.email });
    const third = await signIn.refresh(second.refresh);
    expect(await signIn.userOfToken(third.access)).toMatchObject({ email: ada.email });
  });

  it('is accepted from two concurrent requests of one client', async () => {
    const { signIn, first } = await openSession();
    const [, second] = await Promise.all([signIn.refresh(first.refresh), signIn.refresh(first.refresh)]);
    expect(await signIn.userOfToken(second.access)).toMatchObject({ email: ada.email });
  });

  it.each(['after that time', 'after the use of the new access token', 'after the use of the new refresh token'])(
    'ends the session when it is used again %s',
    async (when) => {
      const { signIn, first } = await openSession();
      const second = await signIn.refresh(first.refresh);
      if (when === 'after that time') later(REPEAT_SECONDS + 5);
      if (when.endsWith('access token')) await signIn.userOfToken(second.access);
      const newest = when.endsWith('refresh token') ? await signIn.refresh(second.refresh) : second;
      await expect(signIn.refresh(first.refresh)).rejects.toMatchObject(isRefused);
      await expect(signIn.userOfToken(newest.access)).rejects.toMatchObject(isRefused);
      await expect(signIn.refresh(newest.refresh)).rejects.toMatchObject(isRefused);
    },
  );

  it('ends the session when two tokens that replaced the same one are used', async () => {
    const { signIn, first } = await openSession();
    const [stolen, own] = [await signIn.refresh(first.refresh), await signIn.refresh(first.refresh)];
    later(3600);
    const next = await signIn.refresh(stolen.refresh);
    await expect(signIn.refresh(own.refresh)).rejects.toMatchObject(isRefused);
    await expect(signIn.userOfToken(next.access)).rejects.toMatchObject(isRefused);
  });
});
