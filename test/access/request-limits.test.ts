import { describe, expect, it } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import { createRequestLimits, type RequestRates } from '../../src/access/request-limits.ts';
import type { Metadata } from '../../src/documents/document.ts';

import { describeEngines } from '../support/engines.ts';

describeEngines('Request limits', ({ openTestStore }) => {
  async function limited(defaults: RequestRates, overrides: Metadata | null = null) {
    const store = await openTestStore();
    const { users } = store.accounts;
    const made = await users.create({ email: 'a@b.test', passwordHash: null, isSuperuser: false, isVerified: true });
    await users.update(made.id, { limitsOverrides: overrides });
    const clock = { now: Date.UTC(2026, 0, 31, 23, 59) };
    const limits = createRequestLimits({ defaults, store: store.accounts, now: () => clock.now });
    const ada: Principal = { userId: made.id, email: made.email, isSuperuser: false, collectionIds: [] };
    return { store, clock, limits, ada, ask: (route = 'POST /v3/x') => limits.admit(ada, route) };
  }

  describe('the rate of requests', () => {
    it('is limited per minute, in total and per route', async () => {
      const { ask, clock } = await limited({ globalPerMinute: 3, routePerMinute: 2 });
      await ask();
      clock.now += 10_000;
      await ask();
      await expect(ask()).rejects.toMatchObject({ message: expect.stringMatching(/^Per-route/), retryAfter: 50 });
      await ask('POST /v3/y');
      await expect(ask('POST /v3/z')).rejects.toMatchObject({
        code: 'rate_limited',
        message: expect.stringMatching(/^Global/),
      });
      clock.now += 50_000;
      await ask('POST /v3/z');
    });

    it('ignores requests in the future after the clock was set back', async () => {
      const { ask, clock } = await limited({ globalPerMinute: 1 });
      await ask();
      clock.now -= 86_400_000;
      await ask();
      await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    });

    it('holds for concurrent requests', async () => {
      const { ask } = await limited({ globalPerMinute: 5 });
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => ask()));
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    });

    it('is limited per calendar month, across restarts', async () => {
      const { ask, clock, store, ada } = await limited({ monthly: 2 });
      await ask();
      await ask();
      await expect(ask()).rejects.toMatchObject({ message: expect.stringMatching(/^Monthly/), retryAfter: 60 });
      const again = await store.reopen();
      const later = createRequestLimits({ defaults: { monthly: 2 }, store: again.accounts, now: () => clock.now });
      await expect(later.admit(ada, 'POST /v3/x')).rejects.toMatchObject({ code: 'rate_limited' });
      clock.now += 60_000;
      await later.admit(ada, 'POST /v3/x');
      expect((await later.usage(ada.userId)).thisMonth).toBe(1);
    });

    it('follows the limits of the individual user', async () => {
      const overrides = {
        global_per_min: 4,
        route_overrides: { '/v3/x': { route_per_min: 1 } },
        monthly_limit: 'many',
      };
      const { ask, limits } = await limited({ globalPerMinute: 1, monthly: 9 }, overrides);
      expect(limits.ratesOf(overrides)).toEqual({ globalPerMinute: 4, routePerMinute: undefined, monthly: 9 });
      await ask();
      await expect(ask()).rejects.toMatchObject({ message: expect.stringMatching(/^Per-route/) });
      for (let count = 0; count < 3; count++) await ask('POST /v3/y');
      await expect(ask('POST /v3/y')).rejects.toMatchObject({ message: expect.stringMatching(/^Global/) });
    });

    it('is not counted for superusers or without a limit', async () => {
      const { limits, ada, ask } = await limited({});
      for (let count = 0; count < 50; count++) await ask();
      expect(await limits.usage(ada.userId)).toEqual({ lastMinute: 0, thisMonth: 0, routes: {} });
      const strict = await limited({ globalPerMinute: 0, monthly: 0 });
      await strict.limits.admit({ ...ada, isSuperuser: true }, 'POST /v3/x');
      await expect(strict.ask()).rejects.toMatchObject({ code: 'rate_limited' });
    });
  });
});
